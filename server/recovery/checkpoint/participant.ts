import type {FileToCopy} from "./complete.ts"

/** A part of the durable state outside of the database, as a checkpoint saves it. */
export interface Participant {
  /** Its key in the manifest's `parts`. */
  readonly name: string
  /** Prepares the part before anything is copied. Resolves to the function that ends the preparation. */
  begin?(): Promise<() => void>
  /** Resolves to the most bytes of its copy; left out if that is little. */
  room?(): Promise<number>
  /** Called while the database stores nothing. Copies small files into the checkpoint's folder. Resolves to the mark for the manifest. */
  mark(folder: string): Promise<unknown>
  /** Copies the rest, up to the mark, durably; left out if there is none. */
  complete?(folder: string): Promise<void>
  /** Yields batches of the many files that a child process copies; left out if there are none. */
  copies?(): AsyncGenerator<readonly FileToCopy[]>
}
