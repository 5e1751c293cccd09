import {mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {replaceConfig} from "../../../server/config/edit-file.ts"
import {readConfigText} from "../../../server/config/load.ts"
import {readStarts, recordStart} from "../../../server/project/starts.ts"
import {noteTokens, readTokenAges} from "../../../server/project/token-ages.ts"
import {keepLastGood, readLastGood} from "../../../server/recovery/last-good/store.ts"
import {projectPaths} from "../../../server/runtime/project.ts"
import {Secret} from "../../../shared/secret.ts"

/** A change of a project's state outside of the database, to a state with a number. */
export interface Change {
  /** Changes the state to this number; the states before it had lower ones. */
  to(folder: string, number: number): unknown
  /** Resolves to the number of the state as svc finds it. Throws if it is incomplete. */
  read(folder: string): Promise<number | undefined>
}

const configOf = (number: number) => `log_level: info # ${number}\n`
const pluginOf = (number: number) => `export default ${number}\n`
const numberIn = (text: string) => Number(/# (\d+)\n$/.exec(text)?.[1])

/** Keeps a generation with a plugin whose text contains the number. */
const lastGood: Change = {
  to: (folder, number) => {
    const module = join(folder, `answers-${number}.js`)
    writeFileSync(module, pluginOf(number))
    return keepLastGood(projectPaths(folder), {
      generation: number,
      committedAt: 0,
      config: {text: configOf(number)},
      modules: [{name: "answers", module}],
      version: "0.1.0",
      lockfile: "",
      schema: "[]",
    })
  },
  read: async folder => {
    const kept = await readLastGood(projectPaths(folder))
    const number = kept?.generation ?? 0
    const [config, plugin] = [kept?.config.text, readFileSync(join(kept?.plugins ?? "", "answers.js"), "utf8")]
    if (config !== configOf(number) || plugin !== pluginOf(number)) throw new Error(`${config} is with ${plugin}`)
    return number
  },
}

const starts: Change = {
  to: (folder, number) => recordStart(projectPaths(folder).starts, "systemd", {boot: "", uptime: number}),
  read: async folder => readStarts(projectPaths(folder).starts).at(-1)?.uptime,
}

const token = (number: number) => new Secret(`token ${number}`)

/** Notes a new token, whose predecessor remains valid. */
const tokens: Change = {
  to: (folder, number) => {
    const previousToken = {token: token(number - 1), until: "2099-01-01T00:00:00Z"}
    return noteTokens(projectPaths(folder), {token: token(number), previousToken}, number)
  },
  read: async folder => {
    const ageOf = await readTokenAges(projectPaths(folder))
    return Array.from({length: 1000}, (_, n) => n).findLast(n => ageOf(token(n).reveal()).is === "known")
  },
}

const configuration: Change = {
  to: async (folder, number) => {
    const {config} = projectPaths(folder)
    const {sha256} = await readConfigText(config)
    await replaceConfig(config, configOf(number), sha256)
  },
  read: async folder => numberIn((await readConfigText(projectPaths(folder).config)).text),
}

export const changes = {
  "last good": lastGood,
  ".svc/starts.json": starts,
  "token and previousToken": tokens,
  "svc.config.yml": configuration,
} as const

/** Makes a folder ready for changes to higher numbers than 0. */
export const prepareState = (folder: string): void => {
  mkdirSync(join(folder, ".svc"), {recursive: true})
  writeFileSync(projectPaths(folder).config, configOf(0))
}

/** As a process that may be killed, it gets the name of the change, the folder and the number. */
const [script = "", name = "", folder = "", number = "0"] = process.argv.slice(1)
if (script === import.meta.filename)
  await Object.entries(changes)
    .find(([each]) => each === name)?.[1]
    .to(folder, Number(number))
