import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {stringify} from "yaml"
import {clientAt, freePort, isOk, makeFolder, onBun, pathWith, runProcess, until} from "../support/host/host.ts"
import {registryEnvironment} from "../support/machine/registry.ts"
import {makeStandInImage, type Podman, startPodman} from "./support/containers/podman.ts"
import {copyTemplate, kustomize, type Manifest, parseManifests} from "./support/manifests.ts"
import {controlGroups, describePart, linux, program, root} from "./support/part.ts"

const token = "a-token-of-the-pod-0123456789"

/** The parts of the template, as podman's plain objects; `path` is the first probe of each kind. */
interface PodSpec {
  readonly securityContext: {readonly runAsUser: number; readonly fsGroup: number}
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly {
    readonly image: string
    readonly startupProbe?: {readonly httpGet: {readonly path: string}}
    readonly livenessProbe?: {readonly httpGet: {readonly path: string}}
    readonly readinessProbe?: {readonly httpGet: {readonly path: string}}
    readonly ports?: unknown
  }[]
}

const podOf = (manifests: readonly Manifest[]): {deployment: Manifest; pod: PodSpec} => {
  const deployment = manifests.find(({kind}) => kind === "Deployment")
  if (deployment === undefined) throw new Error("the template has no Deployment")
  const {template} = deployment.spec as {template: {spec: PodSpec}}
  return {deployment, pod: template.spec}
}

/**
 * The Deployment in a form that podman 4.3 can play: without ports, which it would forward, and without probes, for
 * which it needs systemd. Everything else is the output of `kubectl kustomize`.
 */
const playable = ({deployment, pod}: ReturnType<typeof podOf>): string => {
  const containers = pod.containers.map(({ports, startupProbe, livenessProbe, readinessProbe, ...rest}) => rest)
  return stringify({...deployment, spec: {...(deployment.spec as object), template: {spec: {...pod, containers}}}})
}

const container = "my-bot-pod-0-host"

/** Makes a new project on Bun, built, with a production token. */
const makeBot = async (): Promise<string> => {
  const folder = makeFolder()
  const env = {...registryEnvironment, PATH: pathWith(onBun)}
  const made = await runProcess([...onBun.command, "init", "my-bot"], {cwd: folder, env})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const project = join(folder, "my-bot")
  const config = readFileSync(join(project, "svc.config.yml"), "utf8")
  writeFileSync(join(project, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
  const built = await runProcess(["/usr/bin/env", "bun", "run", "build"], {cwd: project, env})
  expect({code: built.code}).toEqual({code: 0})
  return project
}

/** Runs JavaScript in the running container. */
const inside = async <T>(podman: Podman, script: string): Promise<T> =>
  JSON.parse(await podman("exec", container, "svc-runtime", "-e", `console.log(JSON.stringify(${script}))`)) as T

/** Gives the volumes only to the group, as a cluster does with `fsGroup`: the Host owns none of their files. */
const giveToGroup = async (podman: Podman, group: number) => {
  for (const volume of ["my-bot-data", "my-bot-state"]) {
    const folder = await podman("volume", "inspect", volume, "--format", "{{.Mountpoint}}")
    const script = `chown -R 0:${group} "$0"; chmod -R g+rwX,o-rwx "$0"; find "$0" -type d -exec chmod g+s {} +`
    expect(await runProcess(["sh", "-c", script, folder])).toMatchObject({code: 0})
  }
}

const needs = [linux, root, controlGroups, program("podman"), program("runc"), program("catatonit")]

describePart("the Kubernetes template, played by podman", [...needs, program("kubectl", "kubernetes-client")], () => {
  test("runs ready under its security context, writes to three places only, restarts and ends in time", async () => {
    const port = await freePort()
    const podman = startPodman()
    const found = podOf(parseManifests(kustomize(copyTemplate({"8068": String(port)}))))
    const {pod} = found
    const [{image, startupProbe, livenessProbe, readinessProbe} = {image: ""}] = pod.containers
    await makeStandInImage(podman, {name: image, project: await makeBot(), uid: pod.securityContext.runAsUser})
    const folder = makeFolder()
    writeFileSync(join(folder, "secret.json"), JSON.stringify({HTTP_TOKEN: Buffer.from(token).toString("base64")}))
    writeFileSync(join(folder, "pod.yaml"), playable(found))
    await podman("secret", "create", "my-bot-env", join(folder, "secret.json"))
    await podman("kube", "play", "--quiet", "--network", "host", join(folder, "pod.yaml"))

    const url = `http://127.0.0.1:${port}`
    const answers = (path = "none") => isOk(`${url}${path}`)
    const ready = () => until("the Host to be ready", () => answers(readinessProbe?.httpGet.path))
    await ready()
    expect(await Promise.all([answers(startupProbe?.httpGet.path), answers(livenessProbe?.httpGet.path)])).toEqual([
      true,
      true,
    ])

    const writable = `["/", "/usr", "/app", "/app/plugins", "/app/data", "/app/.svc", "/tmp"].filter(folder => {
      try { require("fs").writeFileSync(folder + "/probe", ""); require("fs").rmSync(folder + "/probe"); return true } catch { return false }
    })`
    expect(await inside(podman, writable)).toEqual(["/app/data", "/app/.svc", "/tmp"])
    expect(await inside(podman, "[process.getuid(), process.getgid()]")).toEqual([10001, 10001])
    const status = await inside<string>(podman, `require("fs").readFileSync("/proc/1/status", "utf8")`)
    expect(status).toMatch(/^CapBnd:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)

    const api = clientAt(url, token)
    const runtimeId = async () => (await api.get("/api/system/status")).runtimeId
    const first = await runtimeId()
    expect(await api.post("/api/system/restart", {body: {}})).toMatchObject({restarting: true})
    await until("another run", async () => (await runtimeId().catch(() => first)) !== first)
    await ready()

    await podman("stop", "--time", String(pod.terminationGracePeriodSeconds), container)
    expect(await podman("inspect", container, "--format", "{{.State.ExitCode}}")).toBe("0")
    await giveToGroup(podman, pod.securityContext.fsGroup)
    await podman("start", container)
    await ready()
    expect(await runtimeId()).not.toBe(first)
  })
})
