import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

export const events: Part<"events"> = {
  tabs: "Eventos o registros",
  events: "Eventos",
  logs: "Registros",
  demo: "El registro del Host requiere el token completo.",
  kind: "Clase",
  all: "todo",
  search: "Contiene",
  searchFor: "texto, endpoint, id",
  pause: "Pausar",
  goOn: "Continuar",
  resume: missed => `Continuar (${counted(missed, {one: "# evento", other: "# eventos"})} desde entonces)`,
  nothing: "Ningún evento coincide.",
  level: "Nivel mínimo",
  run: "Ejecución",
  thisRun: "esta ejecución",
  thisRunKept: (at: string) => `esta ejecución, desde ${at}`,
  earlierRun: (from, to) => `${from} a ${to}`,
  noRecords: "Ninguna línea coincide.",
}
