/** A file of a template: its path in the svc package and its path in a project. */
export interface DeploymentFile {
  readonly from: string
  readonly to: string
  /** Another template or the project may have the file too; an existing one is kept. */
  readonly isShared?: true
}

export interface Deployment {
  /** The description in the help. */
  readonly what: string
  readonly files: readonly DeploymentFile[]
  /** The literal replacements in the files, which are written for Bun, for a project on Node. */
  readonly onNode: readonly (readonly [string, string])[]
  /** Whether the Host runs in a container, where it must listen on every address. */
  readonly isContainer: boolean
  /** The paths that the template probes: the project's svc must serve them. */
  readonly probes: readonly string[]
  /** The operator's next steps, in order. */
  readonly next: readonly string[]
}

const buildFile: DeploymentFile = {from: "container/image/Dockerfile", to: "Dockerfile"}
const envFile: DeploymentFile = {from: "container/image/.env.example", to: ".env.example", isShared: true}
const ignoreFile: DeploymentFile = {from: "container/image/.dockerignore", to: ".dockerignore"}

/** The templates of `svc deploy add`, by name. */
export const deployments = {
  compose: {
    what: "a container image with its Docker Compose file",
    files: [buildFile, {from: "container/image/compose.yaml", to: "compose.yaml"}, ignoreFile, envFile],
    onNode: [
      ["ARG RUNTIME=bun", "ARG RUNTIME=node"],
      ["RUNTIME: bun", "RUNTIME: node"],
    ],
    isContainer: true,
    probes: ["/pub/health"],
    next: [
      "[ -e .env ] || cp .env.example .env; chmod 600 .env; then set HTTP_TOKEN in it to the output of openssl rand -hex 32",
      "docker compose up --build --detach --wait",
    ],
  },
  systemd: {
    what: "a systemd unit with one instance per OS user",
    files: [{from: "container/systemd/svc@.service", to: "deploy/systemd/svc@.service"}, envFile],
    onNode: [["Environment=SVC_RUNTIME=bun", "Environment=SVC_RUNTIME=node"]],
    isContainer: false,
    probes: [],
    next: [
      "as root, follow the first lines of deploy/systemd/svc@.service: create the user, /srv/svc/<user>, .svc/, data/ and .env",
      "systemctl enable --now svc@<user>",
    ],
  },
  gateway: {
    what: "nginx, Caddy or HAProxy in front of the Host",
    files: ["nginx.conf", "Caddyfile", "haproxy.cfg"].map(name => ({
      from: `container/gateway/${name}`,
      to: `deploy/gateway/${name}`,
    })),
    onNode: [],
    isContainer: false,
    probes: ["/pub/health"],
    next: [
      "choose one file in deploy/gateway/, replace bot.example.org with your host name, and copy it to the path in its first line",
      "set trustedProxies: [127.0.0.1] under http: in svc.config.yml, or the Host sees the gateway as the only client",
    ],
  },
  kubernetes: {
    what: "a container image with its Kubernetes resources",
    files: [
      {...buildFile, isShared: true},
      {...ignoreFile, isShared: true},
      {from: "container/kubernetes/resources.yaml", to: "deploy/kubernetes/resources.yaml"},
      {from: "container/kubernetes/kustomization.yaml", to: "deploy/kubernetes/kustomization.yaml"},
      {from: "container/kubernetes/restore-pod.yaml", to: "deploy/kubernetes/restore-pod.yaml"},
      envFile,
    ],
    onNode: [["ARG RUNTIME=bun", "ARG RUNTIME=node"]],
    isContainer: true,
    probes: ["/pub/health", "/pub/ready"],
    next: [
      "build and push the image, and name it in deploy/kubernetes/kustomization.yaml",
      "kubectl create secret generic my-bot-env --from-env-file=.env",
      "kubectl apply -k deploy/kubernetes",
    ],
  },
  ci: {
    what: "a GitHub Actions workflow that checks the project and the deployed Host",
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
      "under env: in .github/workflows/check.yml, set each variable that has no default in svc.config.yml",
      "for the job live, create the environment production with the variable SVC_HOST_URL and the secret SVC_HTTP_TOKEN",
    ],
  },
} as const satisfies Readonly<Record<string, Deployment>>

export type DeploymentName = keyof typeof deployments

/**
 * The sample values in the files of every template. Each file is complete and valid with them. svc replaces only these
 * words, and only where they are whole words.
 */
export const sample = {name: "my-bot", port: 8068} as const
