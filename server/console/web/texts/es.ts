import {readCatalogue} from "./catalogue.ts"
import * as pages from "./es/pages.ts"

/**
 * Spanish for every country: infinitives on buttons and in remedies, without tú or usted.
 *
 * These stay as they are: Host, endpoint, plugin, slot, Ingress, token, Journal, Authority.
 * handler: controlador. inbox: entrada. outbox: salida. event: evento. retry: reintentar. release (a held item):
 * liberar. discard: descartar. held: retenido. dead: abandonado. readiness: disponibilidad. required: obligatorio.
 * generation: generación. commit (a generation): aplicar. pin: fijar. roll back: revertir. checkpoint: punto de
 * control. job: trabajo. timer: temporizador. run: ejecución. work item: tarea. agent: agente. tool: herramienta.
 * approval: aprobación. release (of a version): publicación.
 */
export const es = readCatalogue(pages, "es")
