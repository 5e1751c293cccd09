import {existsSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** A failed test. */
export interface Failure {
  /** The path in the repository; empty for an error without a file. */
  readonly file: string
  /** The names of its suites and the test, from the outside in; empty if the whole file failed. */
  readonly names: readonly string[]
  readonly output: string
}

/**
 * The tests that depend on foreign programs: the console in its browser, gateways, init systems, container engines. If one of
 * these fails, it is repeated once, alone. No other test is repeated, in particular no test of kills, models, faults,
 * checkpoints, deliveries or contracts, nor the browser test that counts the deliveries of a killed Host.
 */
const repeatable: readonly string[] = [
  "tests/e2e/console/",
  "tests/deploy/compose.test.ts",
  "tests/deploy/compose-restarts.test.ts",
  "tests/deploy/gateway.test.ts",
  "tests/deploy/gateway-bare.test.ts",
  "tests/deploy/kubernetes-pod.test.ts",
  "tests/deploy/systemd.test.ts",
]

export const isRepeatable = ({file}: Failure): boolean => repeatable.some(start => file.startsWith(start))

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
