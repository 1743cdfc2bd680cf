/**
 * Where a run keeps its files: a folder, as a rule. A name is the path of a file in it, with forward slashes, such as
 * `figures/rho-rmse.svg`.
 */
export interface ReportStore {
  /** The text of a file; undefined when there is none or it cannot be read. */
  read(name: string): Promise<string | undefined>;
  /** Writes a file whole or not at all, in place of one of the same name, and makes the folder it belongs in. */
  write(name: string, content: string | Uint8Array): Promise<void>;
  /** Removes a file, if there is one. Rejects when the file cannot be removed. */
  remove(name: string): Promise<void>;
}
