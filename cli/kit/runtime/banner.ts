import {join, relative} from "node:path"
import type {Host} from "../../../server/host/open/host.ts"
import {callOf} from "../../../server/process/toolchain.ts"
import {packageRoot} from "../../../server/runtime/own-files.ts"
import {version} from "../../../server/runtime/version.ts"
import {facts} from "../print.ts"

/** The starter project in a clone of svc. */
const starter = join(packageRoot, "cli/init/template")

/** Returns the text that a Host prints after a start in development: its generation, addresses and next commands. */
export const banner = (host: Host, project: string): string => {
  const generation = host.generations.running.current
  const runtime = process.versions.bun === undefined ? `Node ${process.versions.node}` : `Bun ${process.versions.bun}`
  const {location, state} = host.database
  const where = location.dialect === "sqlite" ? relative(project, location.file) : new URL(location.url).host
  const endpoints = host.endpoints.list()
  const {svc} = callOf(process.versions.bun === undefined ? "node" : "bun")
  const chat = project === starter ? "npx --yes bun@1.4.5 run chat" : `${svc} chat`
  return [
    "",
    `svc ${version} runs ${host.project} on ${runtime}`,
    "",
    facts([
      ["  generation", `${generation?.number}`],
      ["  plugins", generation?.instances.map(({name, plugin}) => `${name} (${plugin.from})`).join(", ") || "none"],
      ["  endpoints", endpoints.map(({spec, state: {is}}) => `${spec.name} (${is})`).join(", ") || "none"],
      ["  commands", host.commands().join(", ")],
      [
        "  database",
        `${location.dialect} ${where}, ${state.is === "initialized" ? `schema ${state.schema}` : state.is}`,
      ],
      ["  address", host.url],
      ["  console", consoleLink(host)],
      ["  token", host.token && "generated for this run; svc reads it from .svc/host.json"],
      ["  talk to it", `${chat}   (in a second terminal)`],
      ["  stop it", "Ctrl-C"],
    ]),
    "",
  ].join("\n")
}

/** Puts a token that was generated for this run into the fragment, which no server and no log sees. */
const consoleLink = ({url, token}: Host): string =>
  `${url}/console/${token === undefined ? "" : `#token=${encodeURIComponent(token.reveal())}`}`
