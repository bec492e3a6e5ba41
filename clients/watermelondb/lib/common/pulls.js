/** How far the app's own pulls have come, and how the last one ended. */
export class Pulls {
    /** What WatermelonDB has stored. Another object after each pull. */
    reached = { timestamp: 0 };
    /** How many pulls and syncs have ended, and the last one's error; null if it had none. */
    ended = 0;
    error = null;
    _offered = null;

    /** Notes the timestamp of a pull that was handed to WatermelonDB. */
    offer(timestamp = 0) {
        this._offered = { timestamp };
    }

    /** Notes that WatermelonDB has stored it. */
    settle() {
        this.reached = this._offered ?? this.reached;
        this._offered = null;
    }

    /** Runs a pull or a sync. */
    async watch(work) {
        this._offered = null;
        try {
            const answer = await work();
            this.error = null;
            return answer;
        } catch (error) {
            this.error = error;
            throw error;
        } finally {
            this.ended++;
        }
    }

    forget() {
        this._offered = null;
        this.reached = { timestamp: 0 };
    }
}
