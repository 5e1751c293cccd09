import type {CommandClass} from "clipanion"
import {commands} from "../commands.ts"

/** Loads a command of the table: its words are its path, and the last one is its name in a module with several. */
export const loadCommand = async (name: string): Promise<CommandClass> => {
  const words = name.split(" ")
  const exported = (await commands[name]?.()) ?? {}
  const command = exported[words.at(-1) ?? ""] ?? Object.values(exported)[0]
  return Object.assign(command as CommandClass, {paths: [words]})
}
