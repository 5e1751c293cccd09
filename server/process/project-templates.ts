import {Problem} from "../../shared/problems.ts"
import {didYouMean} from "../runtime/text/suggest.ts"

/** A template of `svc init`. */
export interface ProjectTemplate {
  /** One line for the list. */
  readonly summary: string
  /** The folder in the svc package; for an example, its only source. */
  readonly folder: string
  /** The file that a newcomer edits first. */
  readonly plugin: string
  /** Further packages in exact versions. */
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The folder of the starter, whose settings all projects share. */
export const starterFolder = "cli/init/template"

/** Files that every project gets from the starter. */
export const sharedFiles = ["bunfig", "env.example", "gitignore", "package.json", "tsconfig.json"] as const

export const projectTemplates = {
  starter: {
    summary: "a bot that greets people: one command and one handler",
    folder: starterFolder,
    plugin: "plugins/greeter.ts",
  },
  reminders: {
    summary: "a bot that reminds people by their own clock: timers, state",
    folder: "plugins/reminders",
    plugin: "plugins/reminders.ts",
  },
  moderation: {
    summary: "a bot that deletes messages, mutes users and hears appeals: acts, permissions",
    folder: "plugins/moderation",
    plugin: "plugins/moderation.ts",
  },
  files: {
    summary: "a bot that resizes pictures: files in and out",
    folder: "examples/files",
    plugin: "plugins/files/index.ts",
    dependencies: {jimp: "1.6.1"},
  },
  poll: {
    summary: "a bot that runs polls and counts votes: buttons, edits, two languages",
    folder: "plugins/polls",
    plugin: "plugins/polls.ts",
  },
  bridge: {
    summary: "a bot that connects channels of several platforms: quotes, edits, files",
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

/** Returns the template's name. Throws `not_found`, with the nearest name, if there is no such template. */
export const templateName = (text: string): TemplateName => {
  const found = templateNames.find(name => name === text)
  if (found !== undefined) return found
  throw new Problem("not_found", `there is no template "${text}"${didYouMean(text, templateNames)}`, {
    hint: `Choose one of ${templateNames.join(", ")}; svc init --list describes them.`,
  })
}
