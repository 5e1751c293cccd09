import type {GenerationView} from "../../../../../shared/api/system.ts"
import type {HostClient} from "../../host/client.ts"
import type {Deed} from "../../state/notices.svelte.ts"
import {texts} from "../../texts/texts.ts"
import {committed} from "../generations/committed.ts"

/** Enables or disables a plugin, as a new generation. */
export const turnPlugin = (client: HostClient, name: string, enabled: boolean) => (): Deed<GenerationView> => ({
  title: enabled ? texts.plugins.enableOf(name) : texts.plugins.disableOf(name),
  run: () => client.post("/api/plugins/:plugin", {plugin: name, body: {enabled}}),
  say: ({number}) => texts.generations.runs(number),
  event: committed,
})
