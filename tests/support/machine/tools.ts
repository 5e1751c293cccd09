import {spawnSync} from "node:child_process"
import {accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync} from "node:fs"
import {delimiter, join} from "node:path"
import {describe} from "vitest"
import {root} from "../host/runtimes.ts"

/** The path of each program in its Debian package, and the packages that it needs on a plain Debian 12. */
const packages = {
  ngircd: {path: "usr/sbin/ngircd", debian: ["ngircd", "libident"]},
  inspircd: {path: "usr/sbin/inspircd", debian: ["inspircd"]},
  "atheme-services": {path: "usr/bin/atheme-services", debian: ["atheme-services"]},
  // Its programs look for each other at the package's paths, so it must be installed.
  dovecot: {path: "usr/sbin/dovecot", debian: ["dovecot-imapd"], isFixed: true},
  faketime: {path: "usr/bin/faketime", debian: ["faketime", "libfaketime"]},
  mosquitto: {
    path: "usr/sbin/mosquitto",
    debian: ["mosquitto", "libmosquitto1", "libcjson1", "libdlt2", "libwebsockets17", "libev4", "libuv1"],
  },
  openssl: {path: "usr/bin/openssl", debian: ["openssl"]},
  prometheus: {path: "usr/bin/prometheus", debian: ["prometheus"]},
  prosody: {
    path: "usr/bin/prosody",
    debian: "prosody prosody-modules lua5.4 lua-bitop lua-expat lua-filesystem lua-sec lua-socket".split(" "),
  },
  promtool: {path: "usr/bin/promtool", debian: ["prometheus"]},
  strace: {path: "usr/bin/strace", debian: ["strace", "libunwind8"]},
  // Shells find their own functions at the packages' paths, so they must be installed.
  fish: {path: "usr/bin/fish", debian: ["fish"], isFixed: true},
  zsh: {path: "bin/zsh", debian: ["zsh"], isFixed: true},
} as const

export type ToolName = keyof typeof packages

/** A program, and the folder of its unpacked package: `/` for an installed one. */
export interface Tool {
  readonly path: string
  readonly root: string
  /** Environment variables that its process needs. */
  readonly env: Readonly<Record<string, string>>
}

const cache = join(root, "node_modules/.cache/svc-tools")

/** Whether a missing program is a failure. */
export const isToolRequired = process.env.SVC_TEST_REQUIRE_TOOLS === "1"

/**
 * Finds an external program: the installed one, or one from its Debian package, unpacked into a cache beside the tests.
 * Undefined if there is neither; throws instead if `SVC_TEST_REQUIRE_TOOLS` is 1.
 */
export const findTool = (name: ToolName): Tool | undefined => {
  const found = installed(name) ?? ("isFixed" in packages[name] ? undefined : unpacked(name))
  if (found === undefined && isToolRequired) {
    throw new Error(`SVC_TEST_REQUIRE_TOOLS is 1 and ${name} is missing: apt-get install ${packages[name].debian[0]}`)
  }
  return found
}

/** Returns the program, for tests that `describeWith` guards. */
export const tool = (name: ToolName): Tool => {
  const found = findTool(name)
  if (found === undefined) throw new Error(`${name} is missing`)
  return found
}

/** `describe`, skipped if any of these programs is unavailable. */
export const describeWith = (...names: readonly ToolName[]) =>
  describe.skipIf(names.filter(name => findTool(name) === undefined).length > 0)

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export const locate = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"].map(folder => join(folder, name)).find(isProgram)

const installed = (name: string): Tool | undefined => {
  const path = locate(name)
  return path === undefined ? undefined : {path, root: "/", env: {}}
}

const unpacked = (name: ToolName): Tool | undefined => {
  const folder = join(cache, name)
  const path = join(folder, packages[name].path)
  if (!isProgram(path) && !unpack(name, folder)) return undefined
  const libraries = ["usr/lib", "lib"].flatMap(part => [join(folder, part), ...multiarch(join(folder, part))])
  return {path, root: folder, env: {LD_LIBRARY_PATH: libraries.join(":")}}
}

/** The folders of one machine architecture, for example `usr/lib/x86_64-linux-gnu`. */
const multiarch = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(entry => entry.includes("-linux-"))
        .map(entry => join(folder, entry))
    : []

/** Unpacked beside the folder and then renamed: two test processes may do this at the same time. */
const unpack = (name: ToolName, folder: string): boolean => {
  mkdirSync(cache, {recursive: true})
  const scratch = mkdtempSync(join(cache, `.${name}-`))
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, {cwd: scratch, stdio: "ignore", timeout: 60_000}).status === 0
  try {
    if (!run("apt-get", "-q", "download", ...packages[name].debian)) return false
    const archives = readdirSync(scratch).filter(file => file.endsWith(".deb"))
    const tree = join(scratch, "tree")
    if (!archives.every(file => run("dpkg-deb", "-x", file, tree))) return false
    if (!existsSync(folder)) renameSync(tree, folder)
    return true
  } catch {
    return isProgram(join(folder, packages[name].path))
  } finally {
    rmSync(scratch, {recursive: true, force: true})
  }
}
