import { tablesOf } from '../src/training/data/configurationTables.ts';

/** Controls and settings of the search environment. */
export const { controls: CONTROLS, settings: SETTINGS } = tablesOf('search');
