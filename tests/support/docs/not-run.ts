import {readdirSync} from "node:fs"
import {join} from "node:path"
import {root} from "../host/runtimes.ts"

export interface NotRun {
  readonly page: string
  /** How these commands start. */
  readonly starts: readonly string[]
  readonly why: string
}

const registry = "needs a package registry on the internet"
const cluster = "needs a Kubernetes cluster; kubernetes.test.ts runs the two commands that need none"
const model = "downloads a model of 5 GB"

const readyPlugins = readdirSync(join(root, "plugins")).map(name => `plugins/${name}`)

/** The commands of the documentation that no test runs as they stand, each with the reason. */
export const notRun: readonly NotRun[] = [
  {page: "README.md", starts: ["npx --yes bun@1.4.5 run"], why: `${registry}; every run of CI starts with them`},
  {page: "README.md", starts: ["npx --yes --package", "bunx"], why: `${registry}; init.test.ts runs both`},
  {page: "CONTRIBUTING.md", starts: ["npx --yes bun@1.4.5"], why: `${registry}; every run of CI starts with them`},
  {
    page: "CONTRIBUTING.md",
    starts: ["SVC_TEST_BUN="],
    why: "runs a test file: a test that runs the tests would never end",
  },
  {
    page: "docs/adapters/README.md",
    starts: ["svc adapter", "svc endpoint"],
    why: `${registry}, and an account of Telegram`,
  },
  {page: "docs/adapters/discord.md", starts: ["npx svc"], why: `${registry}, and an account of Discord`},
  {
    page: "docs/adapters/record.md",
    starts: ["svc adapter", "svc runtime stop"],
    why: `${registry}, and an account of Telegram; recorded.test.ts records the fake`,
  },
  {page: "docs/adapters/matrix.md", starts: ["curl -s https://matrix"], why: "needs an account of a Matrix server"},
  {page: "docs/agents.md", starts: ["svc init", "ollama pull"], why: `${registry}, and ${model}`},
  {page: "docs/deploy/kubernetes.md", starts: ["kubectl", "image=", "sed "], why: cluster},
  {
    page: "docs/five-minutes.md",
    starts: ["npx --yes --package", "bunx", "cd my-bot", "npm run dev"],
    why: `${registry}, and an account of Telegram; init-platform.test.ts does it on a fake`,
  },
  {
    page: "docs/five-minutes.md",
    starts: ["npx svc"],
    why: "changes a project on Discord; add.test.ts adds each plugin, documentation.test.ts checks the settings",
  },
  {page: "docs/monitoring.md", starts: ["promtool test rules"], why: "takes 8 seconds; monitoring.test.ts runs it"},
  {page: "docs/operate/run.md", starts: ["npm ci", "bun install"], why: registry},
  {page: "docs/performance.md", starts: ["bun run bench"], why: "takes minutes to hours, and writes the page"},
  {page: "docs/plugins/first.md", starts: ["bun add"], why: registry},
  {
    page: "docs/plugins/publish.md",
    starts: ["svc plugin add"],
    why: `${registry}; add.test.ts uses one on this machine`,
  },
  {
    page: "docs/write-an-adapter.md",
    starts: ["svc init"],
    why: `${registry}; init.test.ts makes the template without one`,
  },
  {page: "examples/agent/README.md", starts: ["ollama pull"], why: model},
  ...["examples/agent", "examples/bridge", "examples/files"].map(folder => ({
    page: `${folder}/README.md`,
    starts: ["bun install"],
    why: registry,
  })),
  ...readyPlugins.map(folder => ({
    page: `${folder}/README.md`,
    starts: ["svc plugin add"],
    why: "changes the project; e2e/plugins/add.test.ts adds each",
  })),
]
