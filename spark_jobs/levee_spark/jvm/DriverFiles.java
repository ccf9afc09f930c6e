package dev.levee.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;

import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * `driver:/work/...`: a folder of the driver's disk, whoever asks.
 *
 * Why: the checkpoint of a lane with executors is read and written by them, and Spark does that through Hadoop's file systems.
 * Called by: Hadoop, as `fs.driver.impl`; SpooledPart (Reading).
 */
public final class DriverFiles extends FileSystem {
    private static final int CHUNK = 4 << 20;
    private static final long BLOCK = 64 << 20;
    private static final URI ROOT = URI.create("driver:///");

    private Path folder = new Path("driver:/");

    public String getScheme() {
        return "driver";
    }

    public URI getUri() {
        return ROOT;
    }

    public FSDataInputStream open(Path path, int buffer) throws IOException {
        return new FSDataInputStream(new Reading(name(path)));
    }

    public FSDataOutputStream create(
            Path path, FsPermission permission, boolean overwrite, int buffer, short copies, long block, Progressable progress)
            throws IOException {
        return new FSDataOutputStream(new Writing(name(path), overwrite), null);
    }

    public FSDataOutputStream append(Path path, int buffer, Progressable progress) {
        throw new UnsupportedOperationException("checkpoints are made of files that are written once");
    }

    public boolean rename(Path from, Path to) throws IOException {
        FileDesk.ask(new Object[] {"rename", name(from), name(to)});
        return true;
    }

    public boolean delete(Path path, boolean all) throws IOException {
        return ((Boolean) FileDesk.ask(new Object[] {"delete", name(path), Boolean.valueOf(all)})).booleanValue();
    }

    public FileStatus[] listStatus(Path path) throws IOException {
        Object[] told = (Object[]) FileDesk.ask(new Object[] {"list", name(path)});
        FileStatus[] found = new FileStatus[told.length / 2];
        for (int i = 0; i < found.length; i++) {
            found[i] = status((long[]) told[2 * i + 1], new Path(path, (String) told[2 * i]));
        }
        return found;
    }

    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        FileDesk.ask(new Object[] {"mkdirs", name(path)});
        return true;
    }

    public FileStatus getFileStatus(Path path) throws IOException {
        return status((long[]) FileDesk.ask(new Object[] {"status", name(path)}), path);
    }

    public void setWorkingDirectory(Path path) {
        folder = path;
    }

    public Path getWorkingDirectory() {
        return folder;
    }

    public void copyFromLocalFile(boolean move, boolean overwrite, Path from, Path to) throws IOException {
        FileUtil.copy(local(), from, this, to, move, overwrite, getConf());
    }

    public void copyToLocalFile(boolean move, Path from, Path to, boolean raw) throws IOException {
        FileUtil.copy(this, from, local(), to, move, getConf());
    }

    private FileSystem local() throws IOException {
        return FileSystem.get(URI.create("file:///"), getConf());
    }

    private FileStatus status(long[] told, Path path) {
        return new FileStatus(told[1], told[0] == 1, 1, BLOCK, told[2], makeQualified(path));
    }

    private String name(Path path) {
        return makeQualified(path).toUri().getPath();
    }

    /** A chunk is asked for at a time. */
    static final class Reading extends FSInputStream {
        private final String name;
        private byte[] chunk = new byte[0];
        private long from;  // where the chunk begins
        private int at;  // in the chunk

        Reading(String name) throws IOException {
            this.name = name;
            ask(0);
        }

        private void ask(long position) throws IOException {
            chunk = (byte[]) FileDesk.ask(new Object[] {"read", name, Long.valueOf(position), Integer.valueOf(CHUNK)});
            from = position;
            at = 0;
        }

        private boolean hasMore() throws IOException {
            if (at == chunk.length && chunk.length == CHUNK) {
                ask(from + CHUNK);
            }
            return at < chunk.length;
        }

        public int read() throws IOException {
            return hasMore() ? chunk[at++] & 0xff : -1;
        }

        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!hasMore()) {
                return -1;
            }
            int count = Math.min(length, chunk.length - at);
            System.arraycopy(chunk, at, into, offset, count);
            at += count;
            return count;
        }

        public void seek(long position) throws IOException {
            if (position >= from && position <= from + chunk.length) {
                at = (int) (position - from);
            } else {
                ask(position);
            }
        }

        public long getPos() {
            return from + at;
        }

        public boolean seekToNewSource(long position) {
            return false;
        }
    }

    /** It is there from the beginning, as on a disk; what must appear at once is renamed. */
    static final class Writing extends OutputStream {
        private final String name;
        private final byte[] chunk = new byte[CHUNK];
        private int count;
        private boolean closed;

        Writing(String name, boolean overwrite) throws IOException {
            this.name = name;
            FileDesk.ask(new Object[] {"create", name, Boolean.valueOf(overwrite)});
        }

        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        public void write(byte[] from, int offset, int length) throws IOException {
            for (int done = 0; done < length; ) {
                int some = Math.min(length - done, CHUNK - count);
                System.arraycopy(from, offset + done, chunk, count, some);
                count += some;
                done += some;
                if (count == CHUNK) {
                    send();
                }
            }
        }

        private void send() throws IOException {
            FileDesk.ask(new Object[] {"append", name, java.util.Arrays.copyOf(chunk, count)});
            count = 0;
        }

        public void close() throws IOException {
            if (!closed) {
                closed = true;
                if (count > 0) {
                    send();
                }
            }
        }
    }
}
