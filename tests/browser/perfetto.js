// SPDX-License-Identifier: Apache-2.0
// The engine of Perfetto's UI, in this process: it reads a trace as the UI does, and answers SQL.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import vm from 'node:vm';

/** The scope of the worker in which the UI runs its engine, as far as that asks for it. @param {string} folder */
function workerScope(folder) {
	const location = {href: pathToFileURL(`${folder}/`).href};
	/** Reads the engine's WebAssembly, at once. */
	class XMLHttpRequest {
		name = '';
		response = new ArrayBuffer(0);

		/** @param {string} _method @param {string} url */
		open(_method, url) {
			this.name = path.basename(url);
		}

		send() {
			this.response = new Uint8Array(fs.readFileSync(path.join(folder, this.name))).buffer;
		}
	}
	/** @type {{location: {href: string}, onmessage: (message: {data: MessagePort}) => void}} */
	const self = {location, onmessage: () => {}};
	// Its messages are arrays of this process's own kind; what it prints is progress.
	return {self, location, XMLHttpRequest, WorkerGlobalScope: Object, Uint8Array, URL, TextDecoder, performance, setTimeout,
		crypto, console: {log() {}, warn() {}, error() {}}};
}

/**
 * What @queries of the trace in @file come to, in rows of numbers and strings.
 * @param {string} folder of perfetto.sh @param {string} file @param {Record<string, string>} queries
 */
export async function askPerfetto(folder, file, queries) {
	const {EngineBase} = await import(pathToFileURL(path.join(folder, 'engine.mjs')).href);
	const scope = workerScope(folder);
	const bundle = path.join(folder, 'engine_bundle.node.js');
	vm.runInNewContext(fs.readFileSync(bundle, 'utf8'), scope, {filename: bundle});
	const {port1, port2} = new MessageChannel();
	class Engine extends EngineBase {
		mode = 'WASM';
		id = 'test';

		/** @param {Uint8Array} data */
		rpcSendRequestBytes(data) {
			port2.postMessage(data);
		}
	}
	const engine = /** @type {any} */ (new Engine());
	/** @type {Promise<never>} */
	const failed = new Promise((_, reject) => {
		port2.onmessage = ({data}) => {
			try {
				engine.onRpcResponseBytes(data);
			} catch (error) {
				reject(error);
			}
		};
	});
	const answer = async () => {
		await engine.parse(new Uint8Array(fs.readFileSync(file)));
		await engine.notifyEof();
		/** @type {Record<string, (number | string | null)[][]>} */
		const rows = {};
		for (const [name, query] of Object.entries(queries)) {
			const result = await engine.query(query);
			rows[name] = [];
			for (const row = result.iter({}); row.valid(); row.next())
				rows[name].push(result.columns().map((/** @type {string} */ column) => {
					const value = row.get(column);
					return typeof value === 'bigint' ? Number(value) : value;
				}));
		}
		return rows;
	};
	try {
		scope.self.onmessage({data: port1});
		return await Promise.race([answer(), failed]);
	} finally {
		port2.close();
	}
}
