import {execFileSync} from "node:child_process"
import {existsSync, readFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {commands} from "../../cli/commands.ts"
import {ProjectConfig} from "../../shared/config/config.ts"
import {problems} from "../../shared/problems.ts"
import {keysOf} from "../reference/schema.ts"
import {root} from "../root.ts"
import {arrowsOf, circlesOf, type Imports, pairsOf, roomOf, sourceFiles} from "./graph.ts"
import {dependencies, isBuilt, packagesBelow, shippedBytes} from "./installation.ts"
import type {FigureName} from "./limits.ts"
import {untypedOperations} from "./operations.ts"
import {readTables} from "./tables.ts"

interface Figure {
  /** What is counted. */
  readonly what: string
  /** Returns the figure, or undefined if it needs a build that is not there. `imports` are those of the program. */
  readonly count: (imports: Imports) => number | undefined
}

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Returns the lines of some files, empty lines and comments included. */
const linesOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0)

/** The program without its scripts, the built-in adapters, the browser application and the templates of a new project. */
const coreFiles = (): readonly string[] =>
  sourceFiles(["shared", "server", "cli"]).filter(file => !/^server\/(?:adapters|console\/web)\//.test(file))

/** All Markdown of the repository except what `bun run reference` writes: the decisions and the changelog count too. */
const writtenPages = (): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {cwd: root, encoding: "utf8"})
    .split("\n")
    .filter(
      path => path !== "" && !/^docs\/(?:reference\/|plugins\/list\.md)/.test(path) && existsSync(join(root, path)),
    )

/** Returns the words of a text as `wc -w` counts them: whatever stands between white space, in code and tables too. */
const wordsOf = (text: string): number => text.split(/\s+/).filter(word => word !== "").length

/** Counts the keys of svc.config.yml and its sections, each path once; names that a project chooses are no keys. */
const countKeys = (): number => {
  const paths = keysOf(ProjectConfig).flatMap(({path}) => {
    const parts = path.replaceAll("[]", "").split(".")
    return parts.map((_, index) => parts.slice(0, index + 1).join("."))
  })
  return new Set(paths.filter(path => !path.endsWith("<name>"))).size
}

/** Groups the files of the program and of the tests by their folder. */
export const groupByFolder = (imports: Imports): ReadonlyMap<string, readonly string[]> =>
  Map.groupBy([...imports.keys(), ...sourceFiles(["tests"])], file => dirname(file))

/** How to count each figure of the budget. */
export const figures: Readonly<Record<FigureName, Figure>> = {
  rooms: {what: "rooms", count: imports => new Set([...imports.keys()].map(roomOf)).size},
  arrows: {what: "arrows between rooms", count: imports => arrowsOf(imports).size},
  pairs: {
    what: "pairs of folders in a circle",
    count: imports => pairsOf(arrowsOf(imports, dirname)).length,
  },
  circles: {what: "circles of files", count: imports => circlesOf(imports).length},
  files: {
    what: "files in the fullest folder",
    count: imports => Math.max(...[...groupByFolder(imports).values()].map(own => own.length)),
  },
  tables: {
    what: "tables without owner",
    count: () => readTables().filter(({owner, strangers}) => owner === undefined || strangers.length > 0).length,
  },
  operations: {what: "untyped operations", count: () => untypedOperations().length},
  core: {what: "lines of the core", count: () => linesOf(coreFiles())},
  tests: {what: "lines of the tests", count: () => linesOf(sourceFiles(["tests"]))},
  words: {what: "words of the pages", count: () => wordsOf(writtenPages().map(read).join("\n"))},
  commands: {what: "commands", count: () => Object.keys(commands).length},
  problems: {what: "problems", count: () => Object.keys(problems).length},
  keys: {what: "keys of svc.config.yml", count: countKeys},
  packages: {what: "packages below svc-runtime", count: () => packagesBelow(dependencies()).length},
  size: {
    what: "megabytes of svc-runtime",
    count: () => (isBuilt() ? Math.ceil(shippedBytes() / 100_000) / 10 : undefined),
  },
}
