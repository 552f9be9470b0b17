// The panels of the Playground below its curves, and what explains these, which are no part of what has to be there before the first update.
import '../group/groupPanel.ts';
import '../inspector/inspectorPanel.ts';
import '../lanes/seedPanel.ts';
import '../ownRule/ownRulePanel.ts';
import '../python/pythonPanel.ts';
import '../runs/eventLog.ts';
import '../runs/runList.ts';
import '../truth/truthPanel.ts';
import '../why/whyPanel.ts';
import '../words/glossary.ts';
import './inspectHead.ts';
import './sharePanel.ts';
