import {existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "../../../support/host/runtimes.ts"
import {locate} from "../../../support/machine/tools.ts"
import {output} from "../command.ts"
import type {Need} from "../part.ts"

const cache = join(root, "node_modules/.cache/svc-compose")
const inPackage = "usr/libexec/docker/cli-plugins/docker-compose"

/** Where installed engines keep the plugin. */
const installed = [
  "/usr/libexec/docker/cli-plugins/docker-compose",
  "/usr/lib/docker/cli-plugins/docker-compose",
  "/usr/local/lib/docker/cli-plugins/docker-compose",
]

/** The plugin, or Debian's own tool to fetch it. */
export const pluginNeed: Need = {
  kind: "program",
  missing: () =>
    installed.some(existsSync) || locate("apt-get") !== undefined ? undefined : "Docker has no Compose plugin",
}

/** Returns Docker's Compose plugin 2: the installed one, or that of Debian 13, because Debian 12 has none. */
export const composePlugin = async (): Promise<string> => {
  const found = installed.find(existsSync)
  if (found !== undefined) return found
  const path = join(cache, "tree", inPackage)
  if (!existsSync(path)) await unpack()
  return path
}

/** Downloads it through apt with separate lists, not the machine's. Parallel test files use separate folders. */
const unpack = async (): Promise<void> => {
  const folder = join(cache, String(process.pid))
  for (const part of ["lists/partial", "cache/archives/partial", "tree"])
    mkdirSync(join(folder, part), {recursive: true})
  const sources = join(folder, "trixie.sources")
  writeFileSync(
    sources,
    "Types: deb\nURIs: http://deb.debian.org/debian\nSuites: trixie\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n",
  )
  const options = [
    `Dir::Etc::SourceList=${sources}`,
    "Dir::Etc::SourceParts=/dev/null",
    `Dir::State::Lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
  ].flatMap(option => ["-o", option])
  await output(["apt-get", "-qq", ...options, "update"])
  await output(["apt-get", "-qq", ...options, "download", "docker-compose"], {cwd: folder})
  await output(["sh", "-c", "dpkg-deb -x docker-compose_*.deb tree"], {cwd: folder})
  if (!existsSync(join(cache, "tree"))) renameSync(join(folder, "tree"), join(cache, "tree"))
  rmSync(folder, {recursive: true, force: true})
}
