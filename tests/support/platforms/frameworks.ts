import {existsSync, readdirSync, symlinkSync} from "node:fs"
import {join} from "node:path"
import type {Project} from "../host/project.ts"
import {npmTool} from "../machine/npm-tool.ts"

const packages = `@grammyjs/conversations@2.1.1 @koishijs/plugin-database-memory@3.7.0 @koishijs/plugin-http@0.6.3
  @satorijs/adapter-telegram@4.5.11 discord.js@14.28.1 grammy@1.46.0 hubot@14.1.0 koishi@4.18.11`.split(/\s+/)

/** The frameworks of docs/coming-from.md, in the versions that it names. */
export const installedFrameworks = npmTool("frameworks-1", packages)

/** Whether a file of an example is for one of the frameworks, by its folder. */
export const isOfFramework = (file: string): boolean => /^(koishi|grammy|discord|hubot)\//.test(file)

/** Lets a project's code import the frameworks as if they were installed there. */
export const linkFrameworks = (project: Project): void => {
  const from = join(installedFrameworks.folder, "node_modules")
  for (const name of readdirSync(from).filter(name => !name.startsWith("."))) {
    const target = project.path("node_modules", name)
    if (!existsSync(target)) symlinkSync(join(from, name), target)
  }
}
