import {readFileSync} from "node:fs"
import {join} from "node:path"
import {parse} from "dotenv"
import {tryOr} from "../../shared/try-or.ts"
import type {Variables} from "../config/expand.ts"

/**
 * Returns a function for the environment of a Host's next start, as far as the Host can know it. systemd's `EnvironmentFile`
 * adds the values of `.env` before a start, so values from there follow the present file, and disappear if the file has lost
 * them. Other owners, such as the daemon or a container engine, pass the same environment again, and the start reads `.env`.
 * Call it at the Host's start, while the file is still the one that its owner has read.
 */
export const nextEnvironment = (
  project: string,
  supervisor: string,
  given: Variables,
): (() => Record<string, string>) => {
  const own = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  if (supervisor !== "systemd") return () => own
  const fromFile = Object.entries(read(project)).flatMap(([name, value]) => (own[name] === value ? [name] : []))
  if (fromFile.length === 0) return () => own
  return () => {
    const kept = Object.entries(own).filter(([name]) => !fromFile.includes(name))
    return {...Object.fromEntries(kept), ...read(project)}
  }
}

const read = (project: string): Readonly<Record<string, string>> =>
  tryOr(() => parse(readFileSync(join(project, ".env"), "utf8")), {})
