import {spawnSync} from "node:child_process"
import {readImports, sourceFiles} from "../plan/graph.ts"
import {dependencies, packagesBelow} from "../plan/installation.ts"
import {root} from "../root.ts"
import {readAnswer, severeOf} from "./advisories.ts"
import {bun} from "./programs.ts"

/**
 * Asks the registry for advisories about all packages of the lockfile, and lists them. Exits with 1 if one that is high or
 * critical is about a package that users run: a dependency, or one that the program imports and the bundles contain.
 */
const timeout = 30_000

const packageOf = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/")

const productionPackages = () => {
  const imports = readImports(sourceFiles(["shared", "server", "cli"]))
  const imported = [...imports.values()].flat().filter(path => !imports.has(path))
  return packagesBelow([...dependencies(), ...new Set(imported.map(packageOf))])
}

const print = (text: string) => process.stdout.write(`advisories: ${text}\n`)

const {stdout, stderr, error} = spawnSync(bun, ["audit", "--json"], {cwd: root, encoding: "utf8", timeout})
const answer = readAnswer(stdout, error === undefined ? stderr : `bun audit did not end within ${timeout / 1000} s`)
if (answer.is === "refused") print(`the registry did not answer: not asked (${answer.reason})`)
else if (answer.advisories.length === 0) print("none")
else {
  const severe = severeOf(answer.advisories, productionPackages())
  for (const advisory of answer.advisories) {
    const {package: name, versions, severity, title, url} = advisory
    print(`${severe.includes(advisory) ? "FAILED: " : ""}${severity}: ${name} ${versions}: ${title} (${url})`)
  }
  if (severe.length > 0) process.exit(1)
}
