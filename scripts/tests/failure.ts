import {existsSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** A failed test. */
export interface Failure {
  /** The path in the repository; empty for an error that no file caused. */
  readonly file: string
  /** The names of its suites and the test, from the outside in; empty if the whole file failed. */
  readonly names: readonly string[]
  readonly output: string
  /** Whether vitest ran on Bun. */
  readonly onBun: boolean
}

/** The failures of one file on one runtime. */
export interface FailedFile {
  readonly file: string
  readonly onBun: boolean
  readonly failures: readonly Failure[]
}

export const titleOf = ({file, names}: Failure): string => [file || "vitest", ...names].join(" > ")

/** Reads the failures of one run from its file; none if the run was interrupted. */
export const readFailuresOf = (file: string): readonly Failure[] =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []

/** Reads the failures of all runs in a folder. */
export const readFailures = (folder: string): readonly Failure[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith(".json"))
        .sort()
        .flatMap(name => readFailuresOf(join(folder, name)))
    : []

export const byFile = (failures: readonly Failure[]): readonly FailedFile[] =>
  [...Map.groupBy(failures, ({file, onBun}) => JSON.stringify([file, onBun])).values()].flatMap(group =>
    group.slice(0, 1).map(({file, onBun}) => ({file, onBun, failures: group})),
  )
