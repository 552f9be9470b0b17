// Proleptic Gregorian calendar for C's `gmtime` and `mktime`, for all years that an int represents. JavaScript's Date
// ends in the year 275,760 and maps years below 100 to the 20th century. The algorithms are Howard Hinnant's
// `days_from_civil` and `civil_from_days` (https://howardhinnant.github.io/date_algorithms.html).
import { readInts, type Uint32Memory, writeUint32 } from './memoryAccess.ts';

const DAY = 86_400;
/** Number of days of 400 years, and of days from 0000-03-01 to 1970-01-01. */
const [ERA, EPOCH] = [146_097, 719_468];
/** Weekday of 1970-01-01, counted from Sunday. */
const THURSDAY = 4;
const [FIRST_YEAR, FINAL_YEAR] = [-(2 ** 31), 2 ** 31 - 1];

/** Returns the days from 1970-01-01 to a date. @param month from 0; values outside a year are allowed */
export function daysTo(year: number, month: number, day: number): number {
  const months = 12 * year + month - 2;
  // Years start in March, so that the leap day is the last day of a year.
  const [from, inYear] = divided(months, 12);
  const [era, ofEra] = divided(from, 400);
  const days = Math.floor((153 * inYear + 2) / 5) + day - 1;
  return era * ERA + 365 * ofEra + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + days - EPOCH;
}

/** Returns the year, the month from 0 and the day of the month, `days` days after 1970-01-01. */
export function dateOf(days: number): readonly [year: number, month: number, day: number] {
  const [era, ofEra] = divided(days + EPOCH, ERA);
  const leap = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const year = Math.floor((ofEra - leap) / 365);
  const inYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const month = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * month + 2) / 5) + 1;
  return [era * 400 + year + Number(month >= 10), (month + 2) % 12, day];
}

/** Returns the quotient and the remainder of a floor division. The remainder is never negative. */
function divided(number: number, by: number): readonly [number, number] {
  const quotient = Math.floor(number / by);
  return [quotient, number - quotient * by];
}

const weekDay = (days: number) => divided(days + THURSDAY, 7)[1];

/**
 * Writes C's broken-down time: second, minute, hour, day, month, years since 1900, day of the week and day of the year.
 * Years outside an int are clamped.
 * @param seconds seconds since 1970
 * @param address address of the C struct
 */
export function writeTime(python: Uint32Memory, seconds: number, address: number): void {
  const [days, inDay] = divided(seconds, DAY);
  const [year, month, day] = dateOf(days);
  const since1900 = Math.min(FINAL_YEAR, Math.max(FIRST_YEAR, year - 1900));
  const clock = [inDay % 60, Math.floor(inDay / 60) % 60, Math.floor(inDay / 3600)];
  [...clock, day, month, since1900, weekDay(days), days - daysTo(year, 0, 1)].forEach((field, i) => {
    writeUint32(python, address + 4 * i, field);
  });
}

/**
 * Reads C's broken-down time, whose fields can be outside their ranges. Writes the day of the week and of the year.
 * @returns seconds since 1970
 */
export function readTime(python: Uint32Memory, address: number): bigint {
  const [second, minute, hour, day, month, since1900] = Array.from(readInts(python, address, 6), (field) => field | 0);
  const inDay = 3600 * hour + 60 * minute + second;
  const days = daysTo(since1900 + 1900, month, day) + Math.floor(inDay / DAY);
  writeUint32(python, address + 24, weekDay(days));
  writeUint32(python, address + 28, days - daysTo(dateOf(days)[0], 0, 1));
  return BigInt(days) * BigInt(DAY) + BigInt(divided(inDay, DAY)[1]);
}
