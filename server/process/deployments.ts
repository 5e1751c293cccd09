/** A file of a template: where it is in the svc package, and where it goes in a project. */
export interface DeploymentFile {
  readonly from: string
  readonly to: string
  /** It belongs to another template or to the project too: where one is there already, that one stays. */
  readonly isShared?: true
}

/** A deployment template. */
export interface Deployment {
  /** As help shows it. */
  readonly what: string
  readonly files: readonly DeploymentFile[]
  /** The files are those of a project on Bun: literal text, and what stands in its place for one on Node. */
  readonly onNode: readonly (readonly [string, string])[]
  /** Runs in a container, whose public edge is elsewhere: the Host listens on every address there. */
  readonly isContainer: boolean
  /** The paths that the template probes: the project's svc must serve them. */
  readonly probes: readonly string[]
  /** What the operator does next, in order. */
  readonly next: readonly string[]
}

const buildFile: DeploymentFile = {from: "container/image/Dockerfile", to: "Dockerfile"}
const ignoreFile: DeploymentFile = {from: "container/image/.dockerignore", to: ".dockerignore"}

/** The templates by name, as `svc deploy add` takes them. */
export const deployments = {
  compose: {
    what: "a container image and its Docker composition",
    files: [
      buildFile,
      {from: "container/image/compose.yaml", to: "compose.yaml"},
      ignoreFile,
      {from: "container/image/.env.example", to: ".env.example", isShared: true},
    ],
    onNode: [
      ["ARG RUNTIME=bun", "ARG RUNTIME=node"],
      ["RUNTIME: bun", "RUNTIME: node"],
    ],
    isContainer: true,
    probes: ["/pub/health"],
    next: [
      "cp .env.example .env && chmod 600 .env, and replace HTTP_TOKEN in it: openssl rand -hex 32",
      "docker compose up --build --detach --wait",
    ],
  },
  systemd: {
    what: "a unit of systemd, by OS user",
    files: [{from: "container/systemd/svc@.service", to: "deploy/systemd/svc@.service"}],
    onNode: [["Environment=SVC_RUNTIME=bun", "Environment=SVC_RUNTIME=node"]],
    isContainer: false,
    probes: [],
    next: [
      "as root, what the head of deploy/systemd/svc@.service says: the user, /srv/svc/<user>, .svc/, data/ and .env",
      "systemctl enable --now svc@<user>",
    ],
  },
  gateway: {
    what: "nginx, Caddy and HAProxy in front of the Host: take one",
    files: ["nginx.conf", "Caddyfile", "haproxy.cfg"].map(name => ({
      from: `container/gateway/${name}`,
      to: `deploy/gateway/${name}`,
    })),
    onNode: [],
    isContainer: false,
    probes: ["/pub/health"],
    next: [
      "put your host in the place of bot.example.org in one of deploy/gateway/, and copy it to where its first line says",
      "trustedProxies: [127.0.0.1] under http: in svc.config.yml, or every client is the gateway to the Host",
    ],
  },
  kubernetes: {
    what: "a container image and its Kubernetes resources",
    files: [
      {...buildFile, isShared: true},
      {...ignoreFile, isShared: true},
      {from: "container/kubernetes/resources.yaml", to: "deploy/kubernetes/resources.yaml"},
      {from: "container/kubernetes/kustomization.yaml", to: "deploy/kubernetes/kustomization.yaml"},
      {from: "container/kubernetes/restore-pod.yaml", to: "deploy/kubernetes/restore-pod.yaml"},
    ],
    onNode: [["ARG RUNTIME=bun", "ARG RUNTIME=node"]],
    isContainer: true,
    probes: ["/pub/health", "/pub/ready"],
    next: [
      "build the image and push it; name it in deploy/kubernetes/kustomization.yaml",
      "kubectl create secret generic my-bot-env --from-env-file=.env",
      "kubectl apply -k deploy/kubernetes",
    ],
  },
  ci: {
    what: "a workflow of GitHub Actions that checks the project, and the Host that was deployed",
    files: [{from: "container/ci/workflow.yml", to: ".github/workflows/check.yml"}],
    onNode: [
      ["uses: oven-sh/setup-bun@v2", "uses: actions/setup-node@v4"],
      ["bun-version: 1.4.5", "node-version: 24"],
      ["bun install --frozen-lockfile", "npm ci"],
      ["bun run --bun svc", "npx svc"],
      ["bun run", "npm run"],
    ],
    isContainer: false,
    probes: ["/pub/ready"],
    next: [
      "a value under env: in .github/workflows/check.yml for each variable without a default in svc.config.yml",
      "for the job live: an environment production with the variable SVC_HOST_URL and the secret SVC_HTTP_TOKEN",
    ],
  },
} as const satisfies Readonly<Record<string, Deployment>>

export type DeploymentName = keyof typeof deployments

/**
 * What the files of every template hold in the place of a project's own: each file is whole and valid as it stands, and
 * these words, wherever they stand as words, are the only ones that are replaced.
 */
export const sample = {name: "my-bot", port: 8068} as const
