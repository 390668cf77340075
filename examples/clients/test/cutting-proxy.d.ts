/** Passes connections on to a server, and cuts them on request. */
export interface CuttingProxy {
    readonly url: string;
    /** How many connections it has passed on. */
    readonly passed: number;
    /** Cuts open connections, and accepts none until `mend`. */
    cut(): void;
    /** Passes connections on again, to another server when one is named. */
    mend(url?: string): void;
    close(): Promise<void>;
}
/** Stands before the server at `url`. */
export declare function openCuttingProxy(url: string): Promise<CuttingProxy>;
