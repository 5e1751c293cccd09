import {spawn} from "node:child_process"
import {createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync} from "node:fs"
import {join} from "node:path"
import {type SpawnOptions, until} from "../../../support/host/process.ts"
import {output, run} from "../command.ts"
import {controlGroups, linux, type Need, networkNamespaces, program, root} from "../part.ts"

/** The needs of an engine with its own images. */
export const engineNeeds: readonly Need[] = [
  linux,
  root,
  networkNamespaces,
  controlGroups,
  program("dockerd", "docker.io"),
  program("docker", "docker.io"),
  program("slirp4netns"),
  program("mmdebstrap"),
  program("curl"),
]

/** Kills a program together with the tests, however they end. */
const withTests = ["--pdeathsig", "KILL"]

export interface Docker {
  readonly env: Readonly<Record<string, string>>
  /** Runs a program in the engine's network, where published ports are reachable. */
  run(command: readonly string[], options?: SpawnOptions): ReturnType<typeof run>
  /** Returns the output of `docker` with these arguments. Throws if it fails. */
  docker(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

/**
 * Starts a real dockerd in its own namespaces for network, mounts and processes. However it ends, it leaves nothing on
 * the machine: no rule, bridge, mount or process. Builds reach the network through slirp4netns. `folder` holds its
 * data, and `composePlugin` is Docker's Compose plugin.
 */
export const startDocker = async (folder: string, composePlugin: string): Promise<Docker> => {
  for (const part of ["data", "exec", "config/cli-plugins"]) mkdirSync(join(folder, part), {recursive: true})
  await output(["cp", composePlugin, join(folder, "config/cli-plugins/docker-compose")])
  const socket = `unix://${folder}/docker.sock`
  const cgroup = `svc-test-${process.pid}`
  const places = ["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec"), "-p", join(folder, "pid")]
  const engine = ["dockerd", ...places, "-H", socket, "--cgroup-parent", `/${cgroup}`]
  const apart = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
  // Docker's own programs look for iptables in root's PATH.
  const PATH = `${process.env.PATH}:/usr/sbin:/sbin`
  const start = [...apart, "sh", "-c", 'ip link set lo up; exec "$@"', "sh", ...engine]
  const daemon = spawn("setpriv", [...withTests, "unshare", ...start], {env: {PATH}, stdio: ["ignore", "pipe", "pipe"]})
  const log = createWriteStream(join(folder, "dockerd.log"))
  daemon.stdout.pipe(log)
  daemon.stderr.pipe(log)
  const ended = new Promise<void>(resolve => daemon.on("close", () => resolve()))
  const namespace = `--net=/proc/${daemon.pid}/ns/net`
  const out = ["slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", String(daemon.pid), "tap0"]
  const network = spawn("setpriv", [...withTests, ...out], {stdio: "ignore"})
  const env = {DOCKER_HOST: socket, DOCKER_CONFIG: join(folder, "config")}
  const docker: Docker = {
    env,
    run: (command, options = {}) =>
      run(["nsenter", namespace, ...command], {...options, env: {...env, ...options.env}}),
    docker: (args, more = {}) => output(["docker", ...args], {env: {...env, ...more}}),
    close: async () => {
      // unshare itself ignores SIGTERM; its child is the engine.
      const engine = Number(readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8"))
      process.kill(engine, "SIGTERM")
      const killing = setTimeout(() => daemon.kill("SIGKILL"), 15_000)
      await ended
      clearTimeout(killing)
      network.kill("SIGKILL")
      await until("the control groups to be empty", () => removeControlGroups(cgroup))
    },
  }
  await until("dockerd to answer", async () => {
    if (daemon.exitCode !== null) throw new Error(readFileSync(join(folder, "dockerd.log"), "utf8").slice(-3000))
    return (await run(["docker", "info"], {env})).code === 0
  })
  return docker
}

/** Removes the control groups of the engine and its containers. Returns false while their processes are ending. */
const removeControlGroups = (name: string): boolean => {
  const top = "/sys/fs/cgroup"
  const places = ["", ...readdirSync(top)].map(place => join(top, place, name)).filter(existsSync)
  for (const place of places) {
    const below = readdirSync(place, {withFileTypes: true}).filter(entry => entry.isDirectory())
    for (const folder of [...below.map(({name: child}) => join(place, child)), place]) {
      try {
        rmdirSync(folder)
      } catch {
        return false
      }
    }
  }
  return true
}
