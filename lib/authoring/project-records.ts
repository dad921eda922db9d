import type { TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';

interface BaseData {
  files: Record<string, TextFile>;
  pending?: Record<string, unknown>;
}

/** The last render of a project as .mlcc/base.json has it, to be edited path by path; what else stands there is kept. */
export class BaseRecord {
  readonly #data: BaseData;

  private constructor(data: BaseData) {
    this.#data = data;
  }

  /** Undefined when the text is missing or damaged: then nothing is known about the last render. */
  static parse(text: string | undefined): BaseRecord | undefined {
    try {
      const data = JSON.parse(text ?? '');
      return typeof data?.files === 'object' && data.files !== null ? new BaseRecord(data) : undefined;
    } catch {
      return undefined;
    }
  }

  get files(): FileTree {
    return new Map(Object.entries(this.#data.files));
  }

  /** The paths that wait for a person's decision. */
  get pending(): string[] {
    return Object.keys(this.#data.pending ?? {});
  }

  set(path: string, file: TextFile): void {
    this.#data.files[path] = file;
  }

  delete(path: string): void {
    delete this.#data.files[path];
  }

  toString(): string {
    return `${JSON.stringify(this.#data, null, 2)}\n`;
  }
}
