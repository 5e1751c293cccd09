import {existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {root} from "../../../support/host/runtimes.ts"
import {output} from "../command.ts"
import type {Docker} from "./dockerd.ts"

const cache = join(root, "node_modules/.cache/svc-base-images")
const debian = join(cache, "debian.tar")

/** Makes the root of a minimal Debian 12 with the machine's certificates, once. */
export const makeDebian = async (): Promise<void> => {
  if (existsSync(debian)) return
  mkdirSync(cache, {recursive: true})
  const made = join(cache, `debian-${process.pid}.tar`)
  const certificates =
    "--customize-hook=mkdir -p $1/etc/ssl/certs && cp /etc/ssl/certs/ca-certificates.crt $1/etc/ssl/certs/"
  const small = ["doc", "locale", "man"].map(part => `--dpkgopt=path-exclude=/usr/share/${part}/*`)
  const options = ["--quiet", "--variant=essential", "--include=libstdc++6", certificates, ...small]
  await output(["mmdebstrap", ...options, "bookworm", made], {limit: 600_000})
  renameSync(made, debian)
}

/**
 * Loads stand-ins for `oven/bun:1` and, with `withNode`, `node:22-slim` into an engine under these names, because the
 * tests pull no image. Each is a minimal Debian 12 with the runtime's binary, and npm for Node.
 */
export const makeBaseImages = async ({docker}: Docker, scratch: string, withNode: boolean): Promise<void> => {
  const certificates = "/etc/ssl/certs/ca-certificates.crt"
  const variables = [
    "PATH=/usr/local/bin:/usr/bin:/bin",
    `NODE_EXTRA_CA_CERTS=${certificates}`,
    `SSL_CERT_FILE=${certificates}`,
  ]
  await docker(["import", ...variables.flatMap(each => ["--change", `ENV ${each}`]), debian, "debian-stand-in"])
  await addFiles(docker, join(scratch, "bun"), "oven/bun:1", [[await bunBinary(), "bin/bun"]])
  if (!withNode) return
  // Asked for its folder, npm answers for the node that runs it, and `bun run` puts the one in node_modules before the
  // system's.
  const npm = dirname(dirname((await output(["sh", "-c", 'readlink -f "$(command -v npm)"'])).trim()))
  await addFiles(docker, join(scratch, "node"), "node:22-slim", [
    [join(root, "node_modules/node22/bin/node"), "bin/node"],
    [npm, "lib/node_modules/npm"],
  ])
}

/** Makes an image of Debian with files in `/usr/local`. */
const addFiles = async (
  docker: Docker["docker"],
  folder: string,
  image: string,
  files: readonly (readonly [from: string, to: string])[],
): Promise<void> => {
  for (const [from, to] of files) {
    mkdirSync(dirname(join(folder, to)), {recursive: true})
    await output(["cp", "--archive", "--dereference", from, join(folder, to)])
  }
  if (existsSync(join(folder, "lib"))) symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "bin/npm"))
  writeFileSync(join(folder, "Dockerfile"), "FROM debian-stand-in\nCOPY . /usr/local/\n")
  // The engine's own builder, because the client needs no plugin for it.
  await docker(["build", "--quiet", "--tag", image, folder], {DOCKER_BUILDKIT: "0"})
}

const bunBinary = async (): Promise<string> =>
  (await output([process.env.SVC_TEST_BUN ?? "bun", "-e", "console.log(process.execPath)"])).trim()
