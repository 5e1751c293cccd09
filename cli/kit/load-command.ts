import type {CommandClass} from "clipanion"
import {commands} from "../commands.ts"

/** Loads a command of the table. Its words there are its path. */
export const loadCommand = async (name: string): Promise<CommandClass> => {
  const [command] = Object.values((await commands[name]?.()) ?? {})
  return Object.assign(command as CommandClass, {paths: [name.split(" ")]})
}
