import {readFile, realpath} from "node:fs/promises"
import {isAbsolute, relative, resolve} from "node:path"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {ProjectConfig} from "../../../shared/config/config.ts"
import {messageOf} from "../../../shared/problems.ts"

/** The most characters of instructions. */
const longest = 200_000

/** Reads bindings with their instructions. A binding whose file cannot be read is not configured; no draft fails. */
export const readBindings = async (
  agents: ProjectConfig["agents"],
  project: string,
): Promise<ReadonlyMap<string, Binding>> => {
  const all = Object.entries(agents).map(async ([name, config]): Promise<Binding> => {
    const {instructions, instructionsFile} = config
    if (instructions !== undefined || instructionsFile === undefined)
      return {name, config, instructions: instructions ?? "", fileProblem: undefined}
    try {
      return {name, config, instructions: await readInstructions(project, instructionsFile), fileProblem: undefined}
    } catch (error) {
      return {name, config, instructions: "", fileProblem: `${instructionsFile}: ${messageOf(error)}`}
    }
  })
  return new Map((await Promise.all(all)).map(binding => [binding.name, binding]))
}

const readInstructions = async (project: string, file: string): Promise<string> => {
  const root = await realpath(project)
  const path = await realpath(resolve(root, file))
  const inside = relative(root, path)
  if (inside.startsWith("..") || isAbsolute(inside)) throw new Error("the file is not in the project's folder")
  if (/^(\.svc|\.env[^/\\]*)([/\\]|$)/.test(inside)) throw new Error("agents cannot read .svc/ and .env")
  const text = await readFile(path, "utf8")
  if (text.length > longest) throw new Error(`the file has ${text.length} characters; at most ${longest} are allowed`)
  return text
}
