import type {CheckpointFile} from "../../../shared/api/checkpoint.ts"

/** A part of the durable state that is not in the database, as a checkpoint takes it up. */
export interface Participant {
  /** Its key in the manifest's `parts`. */
  readonly name: string
  /** Before anything is copied: what it keeps from happening until the function is called that it resolves to. */
  begin?(): Promise<() => void>
  /** What its copy takes at most, in bytes; left out for little. */
  room?(): Promise<number>
  /** Changes nothing from when it resolves until the function is called that it resolves to; milliseconds. */
  hold(): Promise<() => void>
  /** While it is held: copies what is small into the checkpoint's folder, and says what the manifest keeps of it. */
  mark(folder: string): Promise<unknown>
  /** Afterwards: copies the rest, up to its mark; resolves to what it knows of files that it has read anyway. */
  complete(folder: string, mark: unknown): Promise<readonly CheckpointFile[]>
}
