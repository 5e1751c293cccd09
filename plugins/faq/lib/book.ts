import {readFileSync, statSync} from "node:fs"
import {resolve} from "node:path"
import {type Entry, FileError, most, readEntries} from "./entries.ts"

export interface Book {
  readonly entries: readonly Entry[]
  /** Why the present file is not used, with the line. */
  readonly problem: string | undefined
}

/** Identifies a version of the file. */
const stampOf = (path: string): string => {
  const {mtimeMs, size, ino} = statSync(path)
  return `${mtimeMs} ${size} ${ino}`
}

const load = (path: string): readonly Entry[] => {
  const {size} = statSync(path)
  if (size > most.bytes) throw new FileError(1, `the file has more than ${most.bytes} bytes`)
  return readEntries(readFileSync(path, "utf8"))
}

const problemOf = (file: string, error: unknown): string => {
  if (error instanceof FileError) return `${file}:${error.line}: ${error.message}`
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return `${file}: there is no such file`
  return `${file}: ${error instanceof Error ? error.message : String(error)}`
}

/** Returns a function that returns the file's content, read again when the file changes. A bad file changes nothing. */
export const openBook = (folder: string, file: string, report: (problem: string) => void): (() => Book) => {
  const path = resolve(folder, file)
  let book: Book = {entries: [], problem: undefined}
  let read: string | undefined
  return () => {
    let stamp = "missing"
    try {
      stamp = stampOf(path)
      if (stamp === read) return book
      book = {entries: load(path), problem: undefined}
    } catch (error) {
      if (stamp === read) return book
      book = {entries: book.entries, problem: problemOf(file, error)}
      report(book.problem ?? "")
    }
    read = stamp
    return book
  }
}
