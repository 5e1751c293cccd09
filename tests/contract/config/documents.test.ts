import {isDeepStrictEqual} from "node:util"
import {expect, test} from "vitest"
import {withChanges} from "../../../server/config/edit/changes.ts"
import {parseConfig} from "../../../server/config/load.ts"
import {most} from "../../../server/config/text/yaml-value.ts"
import type {ConfigChange} from "../../../shared/api/configuration/file.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {Chance, faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"
import {randomDocument} from "./documents.ts"

const run = faultRun("config-texts")

/** What an engine says about a fault of the program, not of a text. */
const ofEngine = /undefined|not a function|is not iterable|null or|call stack|\[object|Cannot |Invalid array length/

const changes: readonly ConfigChange[] = [
  {change: "set", plugin: "echo", path: ["a", 0, "b"], value: [{c: 1}]},
  {change: "set", plugin: "sandbox", path: ["a"], yaml: "&a {b: *a}"},
  {change: "remove", plugin: "sandbox", path: ["config"]},
  {change: "disable_plugin", plugin: "sandbox"},
  {change: "add_account", plugin: "a", account: "main", value: {x: {}}},
  {change: "add_plugin", plugin: "new", config: {a: "b"}},
]

/** Returns how a text ends. Throws for any other end than a configuration or findings with positions. */
const endOf = (text: string): "accepted" | "refused" => {
  const lines = text.split("\n")
  try {
    const {config, source} = parseConfig({file: "svc.config.yml", text, sha256: ""}, {A: "a"})
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(source.raw)), source.raw)) throw new Error("it is not JSON")
    JSON.stringify(config)
    return "accepted"
  } catch (error) {
    if (!isProblem(error, "config_invalid")) throw error
    expect(error.issues.length).toBeGreaterThan(0)
    expect(error.issues.length).toBeLessThanOrEqual(most.findings)
    for (const {line, column, path, message} of error.issues) {
      const width = lines[line - 1]?.length ?? -1
      if (column < 1 || column > width + 1 || message === "" || ofEngine.test(message))
        throw new Error(`${line}:${column} ${path}: ${message}`, {cause: error})
    }
    return "refused"
  }
}

test(`${run.rounds} random documents end in a configuration or in findings with their positions (seed ${run.seed})`, () => {
  tellHowToRepeat(run)
  const chance = new Chance(run.seed)
  const counts = {accepted: 0, refused: 0, edited: 0}
  let slowest = {ms: 0, text: ""}
  for (let left = run.rounds; left > 0; left--) {
    const text = randomDocument(chance)
    const before = process.cpuUsage().user
    try {
      counts[endOf(text)]++
      const ms = (process.cpuUsage().user - before) / 1000
      if (ms > slowest.ms) slowest = {ms, text}
      if (text.length > 5000) continue
      withChanges(text, [chance.pick(changes)])
      counts.edited++
    } catch (cause) {
      if (!(cause instanceof Problem))
        throw new Error(`${text.length}: ${JSON.stringify(text.slice(0, 2000))}`, {cause})
    }
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
  expect(slowest.ms).toBeLessThan(10_000)
})
