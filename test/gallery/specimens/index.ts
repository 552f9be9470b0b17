import type { Specimens } from '../specimen.ts';
import { CHALLENGE } from './challenge.ts';
import { CONTROLS } from './controls.ts';
import { CURVES } from './curves.ts';
import { CUSTOM_RULE } from './customRule.ts';
import { GLOSSARY } from './glossary.ts';
import { GROUP } from './group.ts';
import { INSPECTOR } from './inspector.ts';
import { LAB } from './lab.ts';
import { LANES } from './lanes.ts';
import { LESSON_ELEMENTS } from './lessons.ts';
import { PICTURE, SENTENCE } from './picture.ts';
import { PYTHON } from './python.ts';
import { RUNS, THEME } from './runs.ts';
import { SHELL } from './shell.ts';
import { STORY } from './story.ts';
import { TRUTH } from './truth.ts';
import { WHY } from './why.ts';

/** All specimens, by the folder of src/app that contains their elements. */
export const FOLDERS: Readonly<Record<string, Specimens>> = {
  shell: SHELL,
  challenge: CHALLENGE,
  controls: CONTROLS,
  curves: CURVES,
  lab: LAB,
  lanes: LANES,
  lessons: LESSON_ELEMENTS,
  group: GROUP,
  inspector: INSPECTOR,
  truth: TRUTH,
  customRule: CUSTOM_RULE,
  picture: PICTURE,
  sentence: SENTENCE,
  story: STORY,
  python: PYTHON,
  runs: RUNS,
  look: THEME,
  why: WHY,
  glossary: GLOSSARY,
};

/** Elements that the gallery cannot contain because they train on a GPU, each with the link of the page with them. */
export const ELSEWHERE: Readonly<Record<string, string>> = { 'tw-app': './', 'tw-page': './#learn' };
