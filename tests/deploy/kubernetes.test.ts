import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {readDocuments} from "../support/docs/documents.ts"
import {makeProject, onBun, runProcess, svc} from "../support/host/host.ts"
import {
  copyTemplate,
  findTypeErrors,
  findUnknownKeys,
  kubernetesFolder,
  kustomize,
  parseManifests,
} from "./support/manifests.ts"
import {describePart, program} from "./support/part.ts"
import {judge} from "./support/policies.ts"

const manifestsOf = (replacements: Readonly<Record<string, string>> = {}) =>
  parseManifests(kustomize(copyTemplate(replacements)))

interface PodSpec {
  readonly volumes: unknown
  readonly securityContext: unknown
  readonly containers: readonly Readonly<Record<string, unknown>>[]
}

const kubectl = program("kubectl", "kubernetes-client")

describePart("the Kubernetes template", [kubectl], () => {
  test("has one file of resources and a kustomization, with a Deployment, its Service and two claims", () => {
    expect(readdirSync(kubernetesFolder).sort()).toEqual(["kustomization.yaml", "resources.yaml", "restore-pod.yaml"])
    expect(
      manifestsOf()
        .map(({kind, metadata}) => `${kind} ${metadata.name}`)
        .sort(),
    ).toEqual([
      "Deployment my-bot",
      "PersistentVolumeClaim my-bot-data",
      "PersistentVolumeClaim my-bot-state",
      "Service my-bot",
    ])
  })

  test("runs one Host, replaced only after its end, with the documented probes and 30 s to end", () => {
    const deployment = manifestsOf().find(({kind}) => kind === "Deployment")
    const probe = (path: string) => ({httpGet: {path, port: "http"}})
    expect(deployment?.spec).toMatchObject({
      replicas: 1,
      strategy: {type: "Recreate"},
      template: {
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 30,
          containers: [
            {
              image: "registry.example.org/my-bot:0.1.0",
              envFrom: [{secretRef: {name: "my-bot-env"}}],
              startupProbe: probe("/pub/health"),
              livenessProbe: probe("/pub/health"),
              readinessProbe: probe("/pub/ready"),
            },
          ],
        },
      },
    })
  })

  test("is added by svc deploy add kubernetes, and the page's cluster-free commands work as written", async () => {
    const config = "http: {host: '${HTTP_HOST:-127.0.0.1}', port: 9100, token: '${HTTP_TOKEN}'}\n"
    const files = {"bun.lock": "{}", ".env": "HTTP_TOKEN=a-token\nIRC_PASSWORD=a=b+c/d==\n"}
    const project = makeProject({config, files})
    expect(await svc(onBun, project, ["deploy", "add", "kubernetes"])).toMatchObject({code: 0, stderr: ""})
    const run = async (command: string) => {
      const {code, stdout, stderr} = await runProcess(["sh", "-c", command], {cwd: project.folder})
      expect({command, code, stderr}).toEqual({command, code: 0, stderr: ""})
      return stdout
    }
    const page = readDocuments().find(({path}) => path === "docs/deploy/kubernetes.md")
    const written = page?.fences.flatMap(({language, text}) => (language === "sh" ? text.trim().split("\n") : [])) ?? []
    const [apply = "", secret = ""] = ["kubectl kustomize ", "--dry-run=client"].map(part =>
      written.find(line => line.includes(part)),
    )
    const manifests = parseManifests(await run(apply))
    expect(manifests.map(({metadata}) => metadata.name)).toContain("scratch-bot")
    expect(JSON.stringify(manifests)).toContain('"containerPort":9100')
    expect(JSON.stringify(manifests)).not.toMatch(/my-bot|8068/)
    const [only] = parseManifests(await run(secret.split(" | ")[0] ?? ""))
    expect(only).toMatchObject({
      kind: "Secret",
      metadata: {name: "my-bot-env"},
      data: {IRC_PASSWORD: Buffer.from("a=b+c/d==").toString("base64")},
    })
  })

  test("has a restore Pod with the Deployment's volumes, secret and rights, which is not applied with it", async () => {
    const text = readFileSync(join(kubernetesFolder, "restore-pod.yaml"), "utf8")
    expect(text).toMatch(/^ +image: my-bot$/m)
    const pods = parseManifests(text.replace(/image: my-bot$/m, "image: registry.example.org/my-bot:0.1.0"))
    expect(pods.flatMap(findTypeErrors)).toEqual([])
    expect(pods.flatMap(findUnknownKeys)).toEqual([])
    expect(manifestsOf().filter(({kind}) => kind === "Pod")).toEqual([])
    const deployment = manifestsOf().find(({kind}) => kind === "Deployment")?.spec as {template: {spec: PodSpec}}
    const {spec: host} = deployment.template
    const pod = pods[0]?.spec as PodSpec
    expect({volumes: pod.volumes, securityContext: pod.securityContext}).toEqual({
      volumes: host.volumes,
      securityContext: host.securityContext,
    })
    const [mine] = pod.containers
    const [of] = host.containers
    for (const key of ["image", "volumeMounts", "securityContext", "envFrom"]) expect(mine?.[key]).toEqual(of?.[key])
    expect(mine?.command).toEqual(["sleep", "3600"])
    expect(pods[0]?.metadata.labels).toEqual({"app.kubernetes.io/name": "my-bot-restore"})
    // A Pod that only waits has no probes.
    const {broken} = await judge(pods)
    expect(broken.filter(rule => !/^KBP00[12]\b|prob/i.test(JSON.stringify(rule)))).toEqual([])
  })

  test("takes name and tag of the image from the kustomization only", () => {
    expect(readFileSync(join(kubernetesFolder, "resources.yaml"), "utf8")).toMatch(/^ +image: my-bot$/m)
    expect(kustomize(copyTemplate())).toMatch(/^ +image: registry\.example\.org\/my-bot:0\.1\.0$/m)
  })

  test("has the types and enumerations of Kubernetes, and no key unknown to it", () => {
    const manifests = manifestsOf()
    expect(manifests.flatMap(findTypeErrors)).toEqual([])
    expect(manifests.flatMap(findUnknownKeys)).toEqual([])
  })

  test("breaks none of the 39 rules of Pod Security and good practice", async () => {
    const {rules, broken} = await judge(manifestsOf())
    process.stdout.write(`${rules - broken.length} of ${rules} rules hold\n`)
    expect({rules, broken}).toEqual({rules: 39, broken: []})
  })

  describe("with a mistake is rejected", () => {
    test.each([
      ["replicas: 1", "replicas: one"],
      ["type: Recreate", "type: Replace"],
      ["containerPort: 8068", "containerPort: many"],
      ["- ReadWriteOnce", "- {}"],
      [
        "httpGet:\n              path: /pub/ready\n              port: http",
        "httpGet:\n              path: /pub/ready",
      ],
    ])("by its types: %s", (from, to) => expect(manifestsOf({[from]: to}).flatMap(findTypeErrors)).not.toEqual([]))

    test.each([
      ["readOnlyRootFilesystem:", "readonlyRootFilesystem:"],
      ["terminationGracePeriodSeconds:", "terminationGracePeriod:"],
      ["strategy:", "stratgy:"],
      ["targetPort:", "target:"],
      ["accessModes:", "accessMode:"],
    ])("by its keys: %s", (from, to) => {
      expect(manifestsOf({[from]: to}).flatMap(findUnknownKeys)).toEqual([
        expect.stringMatching(new RegExp(`\\.${to.slice(0, -1)}$`)),
        ...Array.from({length: from === "accessModes:" ? 1 : 0}, () => expect.stringMatching(/\.accessMode$/)),
      ])
    })

    test.each([
      ["KBP102", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"],
      ["KBP104", "runAsUser: 10001", "runAsUser: 1000"],
      ["KBP106", "automountServiceAccountToken: false", "automountServiceAccountToken: true"],
      ["KBP005", "memory: 512Mi", ""],
      ["PSS202", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"],
      ["PSS205", "type: RuntimeDefault", "type: Unconfined"],
      ["PSS201", "emptyDir:\n            sizeLimit: 64Mi", "hostPath:\n            path: /tmp"],
    ])("by rule %s: %s", async (rule, from, to) => {
      const {broken} = await judge(manifestsOf({[from]: to}))
      expect(broken).toEqual(expect.arrayContaining([expect.stringContaining(rule)]))
    })
  })
})
