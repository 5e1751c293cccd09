import {Problem} from "../../shared/problems.ts"
import {didYouMean} from "../config/suggest.ts"

/** What `svc init` makes a project of. */
export interface ProjectTemplate {
  /** One line for the list. */
  readonly summary: string
  /** In the svc package. Where it is an example of the repository, that is its one source. */
  readonly folder: string
  /** What a newcomer edits first. */
  readonly plugin: string
  /** What it needs beside svc: exact versions of packages. */
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The folder of the starter, whose settings all projects share. */
export const starterFolder = "cli/init/template"

/** What every project gets from the starter, whatever its template is. */
export const sharedFiles = ["bunfig", "env.example", "gitignore", "package.json", "tsconfig.json"] as const

export const projectTemplates = {
  starter: {
    summary: "a bot that greets: one command and one handler",
    folder: starterFolder,
    plugin: "plugins/greeter.ts",
  },
  reminders: {
    summary: "a bot that reminds people by their own clock: timers, state",
    folder: "examples/reminders",
    plugin: "plugins/reminders.ts",
  },
  moderation: {
    summary: "a bot that deletes, mutes and hears appeals: acts, permissions",
    folder: "examples/moderation",
    plugin: "plugins/moderation.ts",
  },
  files: {
    summary: "a bot that resizes pictures: files in and out",
    folder: "examples/files",
    plugin: "plugins/files/index.ts",
    dependencies: {jimp: "1.6.1"},
  },
  poll: {
    summary: "a bot that asks and counts votes: buttons, edits, two languages",
    folder: "examples/poll",
    plugin: "plugins/poll.ts",
  },
  bridge: {
    summary: "a bot that joins channels of several platforms: quotes, edits, files",
    folder: "examples/bridge",
    plugin: "plugins/bridge/index.ts",
  },
  agent: {
    summary: "an AI agent that answers from docs/, opens work items, and asks before it sends",
    folder: "examples/agent",
    plugin: "plugins/docs.ts",
    dependencies: {"@ai-sdk/openai-compatible": "3.0.92", zod: "4.6.7"},
  },
  adapter: {
    summary: "an adapter for a chat platform, with a small server and the conformance suite",
    folder: "cli/init/adapter",
    plugin: "plugins/lines.ts",
  },
} as const satisfies Readonly<Record<string, ProjectTemplate>>

export type TemplateName = keyof typeof projectTemplates

export const templateNames = Object.keys(projectTemplates) as readonly TemplateName[]

/** Throws `not_found`, with the nearest name, for a template that is not there. */
export const templateName = (text: string): TemplateName => {
  const found = templateNames.find(name => name === text)
  if (found !== undefined) return found
  throw new Problem("not_found", `there is no template "${text}"${didYouMean(text, templateNames)}`, {
    hint: `There are ${templateNames.join(", ")}: svc init --list`,
  })
}
