/** True if the run includes the long tests (`npm run test:all`, or a filter). scripts/suites.mjs sets the variable. */
export const IS_LONG = process.env.TURNWISE_LONG !== undefined;
