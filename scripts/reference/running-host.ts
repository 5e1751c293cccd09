import {mkdtemp, rm, writeFile} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import {start} from "../../server/host/start.ts"
import {loadRuntime} from "../../server/runtime/engines/load-runtime.ts"
import {createLogs} from "../../server/runtime/logs/log.ts"
import {bypassProxy} from "../../server/runtime/proxy.ts"
import {agentsPluginName} from "../../shared/agents/binding.ts"
import {exit} from "../../shared/exit.ts"
import type {AdapterDefinition} from "../../shared/sdk/adapter/adapter.ts"
import type {TSchema} from "../../shared/type.ts"
import type {OpenApi} from "./routes.ts"

export interface PublishedSlot {
  readonly plugin: string
  readonly slot: string
  readonly adapter: AdapterDefinition<TSchema>
}

/**
 * Resolves to the adapter slots and the API of a real Host with every built-in plugin. No account is configured, so it opens
 * no connection.
 */
export const askRunningHost = async (): Promise<{openApi: OpenApi; slots: readonly PublishedSlot[]}> => {
  const project = await mkdtemp(join(tmpdir(), "svc-reference-"))
  try {
    // The plugin for agents is loaded with their bindings.
    const names = Object.keys(builtIns).filter(name => name !== agentsPluginName)
    const plugins = Object.fromEntries(names.map(name => [name, {}]))
    await writeFile(join(project, "package.json"), JSON.stringify({name: "reference"}))
    await writeFile(join(project, "svc.config.yml"), JSON.stringify({log_level: "warn", http: {port: 0}, plugins}))
    const host = await start(
      {
        project,
        mode: "test",
        watch: false,
        command: "bun run reference",
        supervisor: () => "none",
        logs: createLogs({
          level: "warn",
          format: "pretty",
          colors: false,
          write: line => process.stderr.write(`${line}\n`),
        }),
        signal: new AbortController().signal,
      },
      await loadRuntime(),
    )
    bypassProxy(new URL(host.url))
    const response = await fetch(`${host.url}/api/openapi.json`, {
      headers: {authorization: `Bearer ${host.token?.reveal()}`},
    })
    if (!response.ok) throw new Error(`the Host does not return its API: ${await response.text()}`)
    const openApi = (await response.json()) as OpenApi
    const slots = (host.generations.running.current?.instances ?? []).flatMap(instance =>
      [...instance.registrations.adapters].map(([slot, adapter]) => ({plugin: instance.name, slot, adapter})),
    )
    await host.stop({code: exit.ok, reason: "the reference is read"})
    return {openApi, slots}
  } finally {
    await rm(project, {recursive: true, force: true})
  }
}
