import { BASE_PATH } from '../project/index.js';

/** What a person should know when there is no usable base. */
export const damagedBase = (exists: boolean): string =>
  `${BASE_PATH} is ${exists ? 'damaged' : 'missing'}: every file that differs from the new render counts as possibly edited`;
