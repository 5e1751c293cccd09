import type {Cli, CommandClass} from "clipanion"
import {facts} from "./print.ts"

/** The parts of the help of one command. */
export interface Definition {
  readonly usage: string
  readonly description: string
  readonly details: string
  readonly examples: readonly (readonly [string, string])[]
  /** `--name` or `--name <value>`, with its description. */
  readonly options: readonly (readonly [string, string])[]
  /** The required ones among the options. */
  readonly required: readonly (readonly [string, string])[]
}

/** Returns the help of a registered command. */
export const define = (cli: Cli, command: CommandClass): Definition => {
  const path = (command.paths?.[0] ?? []).join(" ")
  const found = cli.definitions().find(definition => definition.path.startsWith(`svc ${path}`))
  const {description = ""} = command.usage ?? {}
  const options = (found?.options ?? []).map(({definition, description: what, required}) => ({
    required,
    told: [definition.replaceAll(/#\d/g, "<value>"), `${what ?? ""}${required ? " (required)" : ""}`] as const,
  }))
  return {
    // The parser leaves out the name of words that are optional.
    usage: found?.usage.replace(/(?<!>) \.\.\.$/, " [words]") ?? `svc ${path}`,
    description: `${description.slice(0, 1).toUpperCase()}${description.slice(1)}.`,
    details: (found?.details ?? "").replace(/ +$/gm, "").trim(),
    examples: found?.examples?.map(([what, call]) => [what.trim(), call] as const) ?? [],
    options: options.map(({told}) => told),
    required: options.filter(({required}) => required).map(({told}) => told),
  }
}

export const commandHelp = (definition: Definition, bold: (text: string) => string): string => {
  const {usage, description, details, examples, options} = definition
  return [
    bold(usage),
    description,
    details,
    `${bold("Options")}\n\n${indent(facts(options))}`,
    `${bold("Examples")}\n\n${examples.map(([what, call]) => indent(`${what}\n  ${call}`)).join("\n\n")}`,
  ]
    .filter(part => part !== "")
    .join("\n\n")
}

/** Returns the commands with their descriptions, one per line. */
export const overview = (commands: readonly CommandClass[]): string => {
  const lines = commands.map(
    ({paths, usage}) =>
      [`svc ${(paths?.[0] ?? []).join(" ")}`, usage === undefined ? "" : (usage.description ?? "")] as const,
  )
  return `${indent(facts(lines))}\n\nRun svc <command> --help for details and examples, and svc --completion bash, zsh or fish for the completion of a shell.`
}

const indent = (text: string) => text.replace(/^(?=.)/gm, "  ")
