/**
 * Where a run keeps its files, usually a folder. A name is the path of a file in it, with forward slashes, such as
 * `figures/rho-rmse.svg`.
 */
export interface ReportStore {
  /** The text of a file; undefined if it does not exist or cannot be read. */
  read(name: string): Promise<string | undefined>;
  /** Writes a file completely or not at all, replaces one of the same name, and creates its folder. */
  write(name: string, content: string | Uint8Array): Promise<void>;
  /** Removes a file, if it exists. Rejects if the file cannot be removed. */
  remove(name: string): Promise<void>;
}
