// Panels of the Playground below the first screen, and their explanations. They are not needed before the first update.
// The code that creates files is also loaded here, because the network may be down when a user requests a file.
import '../../storage/runFile.ts';
import '../controls/controlsPanel.ts';
import '../curves/chartExports.ts';
import '../curves/slowDevice.ts';
import '../group/groupPanel.ts';
import '../inspector/inspectorPanel.ts';
import '../lanes/lanesBar.ts';
import '../lanes/seedPanel.ts';
import '../lanes/severalRuns.ts';
import '../customRule/customRulePanel.ts';
import '../python/pythonPanel.ts';
import '../runs/eventLog.ts';
import '../runs/trainingQueue.ts';
import '../runs/runFiles.ts';
import '../runs/runList.ts';
import '../truth/truthPanel.ts';
import '../why/whyPanel.ts';
import '../glossary/glossary.ts';
import '../glossary/panelGlossary.ts';
import './settingsPanels.ts';
import './inspectHead.ts';
import './sharePanel.ts';
import '../look/themeSwitch.ts';
