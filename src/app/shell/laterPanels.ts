// The panels of the Playground below its curves, and what explains these, which are no part of what has to be there before the first update.
// What makes files is here too, and not loaded when it is asked for: the network may be gone by then.
import '../../storage/runFile.ts';
import '../controls/controlsPanel.ts';
import '../curves/chartFile.ts';
import '../curves/chartTable.ts';
import '../curves/slowDevice.ts';
import '../group/groupPanel.ts';
import '../inspector/inspectorPanel.ts';
import '../lanes/lanesBar.ts';
import '../lanes/seedPanel.ts';
import '../lanes/severalRuns.ts';
import '../ownRule/ownRulePanel.ts';
import '../python/pythonPanel.ts';
import '../runs/eventLog.ts';
import '../lanes/seedSeries.ts';
import '../runs/runFiles.ts';
import '../runs/runList.ts';
import '../truth/truthPanel.ts';
import '../why/whyPanel.ts';
import '../words/glossary.ts';
import '../words/wordsHere.ts';
import './deviceLine.ts';
import './experiments.ts';
import './inspectHead.ts';
import './sharePanel.ts';
import './themeSwitch.ts';
