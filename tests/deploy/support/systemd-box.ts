import {type ChildProcess, execFileSync, spawn, spawnSync} from "node:child_process"
import {existsSync, realpathSync} from "node:fs"
import {join} from "node:path"
import {until} from "../../support/host/process.ts"
import {onBun, root} from "../../support/host/runtimes.ts"
import {debianRoot} from "./containers/debian-root.ts"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * A Debian with systemd as its first process, booted in a container of systemd-nspawn. It has its own files (an overlay
 * that is deleted at the end), its own users, and an empty network. The repository is at `/opt/svc`, read-only; `bun`,
 * `node`, `npm` and `svc` are on its PATH.
 */
export interface SystemdBox {
  /** Runs a shell script in it, as root or as a user. */
  sh(script: string, options?: {readonly user?: string; readonly env?: Readonly<Record<string, string>>}): Ended
  /** Runs a shell script and returns its output. Throws with the output if the script fails. */
  must(script: string, options?: {readonly user?: string; readonly env?: Readonly<Record<string, string>>}): string
  stop(): Promise<void>
}

export const boxPackages = ["systemd", "systemd-sysv", "dbus", "dbus-user-session", "libpam-systemd", "curl", "git"]

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

export const startSystemdBox = async (): Promise<SystemdBox> => {
  const nspawn = spawn("systemd-nspawn", nspawnArguments(debianRoot(boxPackages)), {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  let output = ""
  for (const stream of [nspawn.stdout, nspawn.stderr])
    stream.on("data", chunk => {
      output += chunk
    })
  try {
    const box = boxOf(await until("systemd to be the first process", () => leaderOf(nspawn)), nspawn)
    await until("systemd to have started", () => /running|degraded/.test(box.sh("systemctl is-system-running").stdout))
    box.must(`cd /usr/local/bin
      ln -s ../lib/node_modules/npm/bin/npm-cli.js npm
      printf '#!/bin/sh\\nexec bun /opt/svc/cli/launch.js "$@"\\n' > svc
      chmod 755 svc`)
    return box
  } catch (error) {
    nspawn.kill("SIGKILL")
    throw new Error(`the box did not start: ${output.slice(-2000)}`, {cause: error})
  }
}

const nspawnArguments = (folder: string): readonly string[] => {
  const mounts: readonly (readonly [from: string, to: string])[] = [
    ...["cli", "server", "shared", "dist", "docs", "container", "package.json"].map(
      name => [join(root, name), `/opt/svc/${name}`] as const,
    ),
    [realpathSync(join(root, "node_modules")), "/opt/svc/node_modules"],
    [programOf(onBun.command[0] ?? "bun"), "/usr/local/bin/bun"],
    [join(root, "node_modules/node24/bin/node"), "/usr/local/bin/node"],
    ...npmOf(),
  ]
  return [
    ...["--directory", folder, "--volatile=overlay", "--register=no", "--keep-unit", "--private-network", "--quiet"],
    ...["--machine", `svc-box-${process.pid}`, "--link-journal=no", "--console=pipe"],
    ...mounts.map(([from, to]) => `--bind-ro=${realpathSync(from)}:${to}`),
    "--boot",
  ]
}

const programOf = (name: string) =>
  name.includes("/") ? name : execFileSync("which", [name], {encoding: "utf8"}).trim()

/** The machine's npm, if it has one beside its node. */
const npmOf = (): readonly (readonly [from: string, to: string])[] => {
  const found = spawnSync("which", ["npm"], {encoding: "utf8"}).stdout.trim()
  const folder = found === "" ? "" : join(realpathSync(found), "../..")
  return existsSync(join(folder, "bin/npm-cli.js")) ? [[folder, "/usr/local/lib/node_modules/npm"]] : []
}

const leaderOf = ({pid, exitCode}: ChildProcess): number | undefined => {
  if (exitCode !== null) throw new Error(`systemd-nspawn ended with ${exitCode}`)
  // Match the name too: systemd-nspawn starts short-lived helpers first.
  const children = spawnSync("pgrep", ["--parent", String(pid), "--exact", "systemd"], {encoding: "utf8"}).stdout
  return Number(children.split("\n")[0]) || undefined
}

const boxOf = (leader: number, nspawn: ChildProcess): SystemdBox => {
  const sh: SystemdBox["sh"] = (script, {user, env = {}} = {}) => {
    const as = user === undefined ? [] : ["runuser", "--user", user, "--"]
    const variables = {
      PATH,
      HOME: user === undefined ? "/root" : `/home/${user}`,
      LANG: "C.UTF-8",
      SYSTEMD_PAGER: "",
      ...env,
    }
    const pairs = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const inside = [
      "--target",
      String(leader),
      "--all",
      ...as,
      "env",
      "--ignore-environment",
      ...pairs,
      "sh",
      "-c",
      script,
    ]
    const {status, stdout, stderr} = spawnSync("nsenter", inside, {encoding: "utf8", timeout: 100_000})
    return {code: status, stdout, stderr}
  }
  return {
    sh,
    must: (script, options) => {
      const {code, stdout, stderr} = sh(script, options)
      if (code !== 0) throw new Error(`${script}\nended with ${code}\n${stdout}${stderr}`)
      return stdout.trim()
    },
    stop: async () => {
      const ended = new Promise<void>(resolve => nspawn.on("close", () => resolve()))
      // SIGRTMIN+4 powers it off; Node has no name for that signal.
      spawnSync("kill", ["-s", "RTMIN+4", String(leader)])
      const limit = setTimeout(() => nspawn.kill("SIGKILL"), 20_000)
      await ended
      clearTimeout(limit)
    },
  }
}
