import {existsSync} from "node:fs"
import {mkdir, rm} from "node:fs/promises"
import {dirname, join} from "node:path"
import {makePrivateFolder, readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {mustRun, run} from "./run.ts"
import {type Service, type ServiceOptions, type ServiceState, serviceName} from "./service.ts"
import {requireEnvironmentFile} from "./systemd.ts"

export interface Agent extends Pick<ServiceOptions, "project" | "runtime" | "launcher"> {
  readonly label: string
}

type Value = string | number | boolean | readonly string[] | {readonly [key: string]: Value}

/** The pause between two starts, in seconds. launchd has no limit of starts; 24 s come close to five starts in 120 s. */
const throttle = 24

/**
 * Returns the property list of a launchd agent. launchd starts the Host at login, and restarts it after every exit code
 * except 0. launchd reads no environment file; the Host reads `.env`.
 */
export const agentFile = ({label, project, runtime, launcher}: Agent): string => {
  const log = join(project, ".svc/runtime.log")
  const agent: Value = {
    Label: label,
    ProgramArguments: [runtime, launcher, "runtime", "start", "--mode", "production", "--no-watch"],
    WorkingDirectory: project,
    EnvironmentVariables: {PATH: `${dirname(runtime)}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin`},
    RunAtLoad: true,
    KeepAlive: {SuccessfulExit: false},
    ThrottleInterval: throttle,
    ExitTimeOut: 30,
    Umask: 0o077,
    StandardOutPath: log,
    StandardErrorPath: log,
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<plist version="1.0">\n${element(agent)}\n</plist>`,
    "",
  ].join("\n")
}

const element = (value: Value): string => {
  if (typeof value === "string") return `<string>${escapeXml(value)}</string>`
  if (typeof value === "number") return `<integer>${value}</integer>`
  if (typeof value === "boolean") return value ? "<true/>" : "<false/>"
  if (isList(value)) return `<array>\n${value.map(element).join("\n")}\n</array>`
  const entries = Object.entries(value).map(([key, each]) => `<key>${escapeXml(key)}</key>\n${element(each)}`)
  return `<dict>\n${entries.join("\n")}\n</dict>`
}

const isList = (value: object): value is readonly string[] => Array.isArray(value)

const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const agentPath = (home: string, name: string): string =>
  join(home, "Library/LaunchAgents", `${labelOf(name)}.plist`)

const labelOf = (name: string) => `svc.${serviceName(name)}`

export const launchdService = (options: ServiceOptions): Service => {
  const {project, user, name} = options
  const label = labelOf(name)
  const path = agentPath(user.home, name)
  const text = agentFile({...options, label})
  const domain = `gui/${user.id}`
  const target = `${domain}/${label}`
  const state = async (): Promise<ServiceState> => {
    const {code, stdout} = await run("launchctl", ["print", target])
    const [, word = "not loaded"] = /^\s*state = (.*)$/m.exec(code === 0 ? stdout : "") ?? []
    const [, pid] = /^\s*pid = (\d+)$/m.exec(stdout) ?? []
    return {
      manager: "launchd",
      name: label,
      installed: existsSync(path),
      enabled: code === 0,
      running: word === "running",
      state: word,
      pid: pid === undefined ? null : Number(pid),
      restarts: null,
      file: path,
    }
  }
  return {
    files: [{path, text}],
    state,
    install: async report => {
      await requireEnvironmentFile(project, user)
      await makePrivateFolder(join(project, ".svc"))
      const isNew = (await readFileIfExists(path)) !== text
      const before = await state()
      if (!isNew && before.running) {
        report(`${label} is already installed and running`)
        return
      }
      if (isNew) {
        await mkdir(dirname(path), {recursive: true})
        await writeFileAtomic(path, text)
        report(`wrote ${path}`)
      }
      if (before.enabled) await mustRun("launchctl", ["bootout", target])
      await mustRun("launchctl", ["bootstrap", domain, path])
      report(`started ${label}; it also starts at each login`)
    },
    uninstall: async report => {
      if ((await state()).enabled) {
        await mustRun("launchctl", ["bootout", target])
        report(`stopped ${label}`)
      }
      if (!existsSync(path)) return
      await rm(path)
      report(`removed ${path}`)
    },
    logs: ({follow, lines}) => ["tail", `-n${lines}`, ...(follow ? ["-F"] : []), join(project, ".svc/runtime.log")],
  }
}
