/** A part of the durable state that is not in the database, as a checkpoint takes it up. */
export interface Participant {
  /** Its key in the manifest's `parts`. */
  readonly name: string
  /** Changes nothing from when it resolves until the function is called that it resolves to; milliseconds. */
  hold(): Promise<() => void>
  /** While it is held: copies what is small into the checkpoint's folder, and says what the manifest keeps of it. */
  mark(folder: string): Promise<unknown>
  /** Afterwards: copies the rest, up to its mark. */
  complete(folder: string, mark: unknown): Promise<void>
}
