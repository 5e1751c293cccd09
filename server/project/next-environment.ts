import {readFileSync} from "node:fs"
import {join} from "node:path"
import {parse} from "dotenv"

type Names = Readonly<Record<string, string>>

/** What a process was given, and gives to others. */
export type Given = Readonly<Record<string, string | undefined>>

/**
 * The environment that a Host's next start gets, as far as the Host can tell. systemd's `EnvironmentFile` puts the values of
 * `.env` into it before the start: those that came from there are taken from the file as it is then, and gone where the file
 * has lost them. Any other owner, the daemon and a container's engine among them, gives again what it gave; the rest of
 * `.env` is read by the start itself. Made when the Host starts, while the file is as its owner has read it.
 */
export const nextEnvironment = (project: string, supervisor: string, given: Given): (() => Record<string, string>) => {
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

const read = (project: string): Names => {
  try {
    return parse(readFileSync(join(project, ".env"), "utf8"))
  } catch {
    return {}
  }
}
