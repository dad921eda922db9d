/** Says what goes on, one line at a time. */
export type Report = (line: string) => void;
