import {existsSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** A test that failed. */
export interface Failure {
  /** In the repository; empty for an error that no file is to blame for. */
  readonly file: string
  /** Of its suites and itself, from the outside; empty where the whole file failed. */
  readonly names: readonly string[]
  readonly output: string
}

/**
 * What is tested with the help of a program that is not ours: the console in its browser, gateways, init systems, container
 * engines. A test of these that fails is run once more, alone. No other test is, least of all a kill loop, a model, a fault, a
 * checkpoint, a delivery or a contract: nor the one that counts, in a browser too, what a killed Host delivers.
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

/** What one run of tests has left in its file; nothing where it was cut off. */
export const readFailuresOf = (file: string): readonly Failure[] =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []

/** All that the runs of tests have left in a folder. */
export const readFailures = (folder: string): readonly Failure[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith(".json"))
        .sort()
        .flatMap(name => readFailuresOf(join(folder, name)))
    : []
