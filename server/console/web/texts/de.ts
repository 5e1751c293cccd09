import {readCatalogue} from "./catalogue.ts"
import * as pages from "./de/pages.ts"

/**
 * German that does not address the reader: infinitives on buttons and in remedies.
 *
 * These stay as they are: Host, Endpoint, Plugin, Handler, Job, Timer, Checkpoint, Ingress, Token, Workroom, Journal.
 * inbox: Eingang. outbox: Ausgang. event: Ereignis. retry: wiederholen. release (a held item): freigeben. discard:
 * verwerfen. held: angehalten. dead: aufgegeben. readiness: Bereitschaft. required: erforderlich. generation:
 * Generation. commit (a generation): übernehmen. pin: fixieren. roll back: zurückrollen. run: Lauf. work item: Aufgabe.
 * tool: Werkzeug. approval: Freigabe.
 */
export const de = readCatalogue(pages, "de")
