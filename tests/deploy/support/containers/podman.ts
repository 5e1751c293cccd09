import {mkdirSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, onTestFinished} from "vitest"
import {runProcess} from "../../../support/host/process.ts"
import {makeFolder} from "../../../support/host/project.ts"

/** Runs podman with images, volumes and containers for one test, until the test ends. Fails unless it exits with 0. */
export type Podman = (...args: readonly string[]) => Promise<string>

/** Settings for a machine without systemd or rights over rlimits: control groups by files, runc, modest limits. */
const settings = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`

export const startPodman = (): Podman => {
  const folder = makeFolder()
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const storage = `[storage]\ndriver = "overlay"\nrunroot = "${folder}/run"\ngraphroot = "${folder}/graph"\n[storage.options.overlay]\nmountopt = "nodev"\n`
  const env = {
    CONTAINERS_CONF: file("containers.conf", settings),
    CONTAINERS_STORAGE_CONF: file("storage.conf", storage),
    TMPDIR: folder,
  }
  const run = (...args: readonly string[]) => runProcess(["podman", ...args], {env})
  onTestFinished(async () => {
    await run("pod", "rm", "--all", "--force", "--time", "0")
    await run("volume", "rm", "--all", "--force")
    await run("rmi", "--all", "--force")
    await runProcess(["umount", join(folder, "graph/overlay")])
  })
  return async (...args) => {
    const {code, stdout, stderr} = await run(...args)
    expect({args, code, stderr: code === 0 ? "" : stderr}).toEqual({args, code: 0, stderr: ""})
    return stdout.trim()
  }
}

const app = "/app"

export interface ImageOptions {
  readonly name: string
  /** A project with its dependencies installed and built. */
  readonly project: string
  /** The owner of the folders that become volumes. */
  readonly uid: number
}

/**
 * Makes a stand-in for the image of `container/image`, which the composition tests build. It has the same folders,
 * command and variables around a project on Bun, but only those libraries of Debian that the project loads. podman
 * gives a volume to the owner of the image's folder, while a cluster gives it to the Pod's `fsGroup`.
 */
export const makeStandInImage = async (podman: Podman, {name, project, uid}: ImageOptions): Promise<void> => {
  const tree = makeFolder()
  const binary = await output([process.env.SVC_TEST_BUN ?? "bun", "-e", "console.log(process.execPath)"])
  const driver = "node_modules/@libsql/linux-x64-gnu/index.node"
  const loaded = await output(["ldd", binary, join(project, driver)])
  const libraries = new Set([...loaded.matchAll(/(\/\S+\.so\S*) \(/g)].map(([, path = ""]) => path))
  for (const folder of ["usr/local/bin", "tmp", "usr/bin"]) mkdirSync(join(tree, folder), {recursive: true})
  await output(["cp", "--dereference", binary, join(tree, "usr/local/bin/svc-runtime")])
  await output(["cp", "--dereference", "--parents", ...libraries, tree])
  await output(["cp", "--recursive", project, join(tree, app)])
  await output(["chmod", "--recursive", "a+rX", join(tree, app)])
  for (const folder of ["data", ".svc"]) {
    rmSync(join(tree, app, folder), {recursive: true, force: true})
    await output(["install", "-d", "-m", "700", "-o", String(uid), "-g", String(uid), join(tree, app, folder)])
  }
  await output(["chmod", "1777", join(tree, "tmp")])
  const command = `svc-runtime
    node_modules/svc-runtime/cli/launch.js runtime start --mode production --no-watch`.split(/\s+/)
  const changes = [
    `WORKDIR ${app}`,
    "USER 1000:1000",
    "ENV PATH=/usr/local/bin",
    "ENV HTTP_HOST=0.0.0.0",
    `CMD ${JSON.stringify(command)}`,
  ]
  const archive = join(makeFolder(), "image.tar")
  await output(["tar", "--create", "--file", archive, "--directory", tree, "."])
  await podman("import", "--quiet", ...changes.flatMap(change => ["--change", change]), archive, name)
}

const output = async (command: readonly string[]): Promise<string> => {
  const {code, stdout, stderr} = await runProcess(command)
  expect({command, code, stderr: code === 0 ? "" : stderr}).toEqual({command, code: 0, stderr: ""})
  return stdout.trim()
}
