import { connect, createServer } from 'node:net';

/** A proxy on the way to `url` that ends each connection after so many bytes to the server. `sent` counts these. */
export class CuttingProxy {
    sent = 0;
    cuts = 0;

    static async start(url, most) {
        const proxy = new CuttingProxy();
        const { port } = new URL(url);
        proxy._server = createServer(client => proxy._pass(client, connect(port, '127.0.0.1'), most));
        await new Promise(resolve => proxy._server.listen(0, '127.0.0.1', resolve));
        proxy.url = `http://127.0.0.1:${proxy._server.address().port}`;
        return proxy;
    }

    stop() {
        this._server.close();
    }

    _pass(client, server, most) {
        let left = most;
        for (const side of [client, server]) side.setNoDelay();
        client.on('data', bytes => {
            if (left === 0) return;
            const passed = bytes.subarray(0, left);
            left -= passed.length;
            this.sent += passed.length;
            server.write(passed);
            if (left > 0) return;
            this.cuts++;
            // What was passed on arrives, and the client hears of it afterwards.
            server.end();
        });
        server.on('data', bytes => client.write(bytes));
        server.on('error', () => {}).on('close', () => client.destroy());
        client.on('error', () => {}).on('close', () => server.end());
    }
}
