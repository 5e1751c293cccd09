import {readFile, stat} from "node:fs/promises"
import {join} from "node:path"
import {parse} from "dotenv"
import type {Variables} from "./expand.ts"

export interface EnvironmentFile {
  readonly path: string
  readonly text: string
  /** Permission bits. */
  readonly mode: number
  readonly values: Readonly<Record<string, string>>
}

export interface Environment {
  /** `.env.<name>` overrides `.env`. */
  readonly name: string
  readonly variables: Variables
  readonly files: readonly EnvironmentFile[]
}

/** Reads `.env`, then `.env.<name>`, which overrides it. The process's environment overrides both. */
export const readEnvironment = async (project: string, name: string, own: Variables): Promise<Environment> => {
  const read = await Promise.all([".env", `.env.${name}`].map(file => readEnvironmentFile(join(project, file))))
  const files = read.filter(file => file !== undefined)
  return {name, files, variables: Object.assign({}, ...files.map(file => file.values), own)}
}

const readEnvironmentFile = async (path: string): Promise<EnvironmentFile | undefined> => {
  const info = await stat(path).catch(() => undefined)
  if (!info?.isFile()) return undefined
  const text = await readFile(path, "utf8")
  return {path, text, mode: info.mode & 0o777, values: parse(text)}
}
