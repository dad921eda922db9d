const QUANTITY = /^[+-]?(\d+|\d+\.\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What is wrong with a value of a published format; empty when nothing is. */
export function checkFormat(value: unknown, format: string): string[] {
  switch (format) {
    case 'quantity':
      return QUANTITY.test(String(value))
        ? []
        : [`quantities must match the regular expression '${QUANTITY.source}'`];
    case 'date-time':
      return RFC3339.test(String(value)) ? [] : ['must be a date and time of RFC 3339'];
    case 'byte':
      return BASE64.test(String(value)) ? [] : ['illegal base64 data'];
    case 'int32':
      return Number(value) >= -(2 ** 31) && Number(value) < 2 ** 31 ? [] : ['must fit in 32 bits'];
    default:
      return [];
  }
}
