package dev.levee.spark;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.util.RpcUtils;

import scala.Function1;
import scala.PartialFunction;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The driver's folders, for its executors: they ask by Spark's own messages, so there is no port, secret or store beside Spark's.
 *
 * Why: state is computed and kept by executors, but a lane's checkpoint is a folder of its driver, wherever executors are: so they come
 * and go, and what is published and forked is the same as without them.
 * Requests and answers are arrays of what Java itself knows; an IOException is an answer, too.
 * Called by: DriverFiles (in the driver directly, in executors by a message); levee_spark.spark.executors opens it.
 */
public final class FileDesk implements RpcEndpoint {
    private static final String NAME = "levee-files";
    private static final ClassTag ANY = ClassTag$.MODULE$.apply(Object.class);
    private static volatile FileDesk here;  // in the driver
    private static RpcEndpointRef there;  // in an executor

    private final RpcEnv env;
    private final Path[] folders;

    private FileDesk(RpcEnv env, String[] folders) {
        this.env = env;
        this.folders = new Path[folders.length];
        for (int i = 0; i < folders.length; i++) {
            this.folders[i] = Paths.get(folders[i]).toAbsolutePath().normalize();
        }
    }

    /** Once, in the driver; nothing but these folders is shown. */
    public static synchronized void open(String folders) {
        RpcEnv env = messages();
        FileDesk desk = new FileDesk(env, folders.split("\n"));
        env.setupEndpoint(NAME, desk);
        here = desk;
    }

    static Object ask(Object[] request) throws IOException {
        Object answer = here != null ? here.answer(request) : driver().askSync(request, ANY);
        if (answer instanceof IOException) {
            throw (IOException) answer;
        }
        return answer;
    }

    private static synchronized RpcEndpointRef driver() {
        if (there == null) {
            there = RpcUtils.makeDriverRef(NAME, (SparkConf) ofSpark("conf", SparkConf.class), messages());
        }
        return there;
    }

    private static RpcEnv messages() {
        return (RpcEnv) ofSpark("rpcEnv", RpcEnv.class);
    }

    /** One method by its name: Janino would load whatever any of SparkEnv's methods speaks of, and not all of that is among the jars. */
    private static Object ofSpark(String name, Class type) {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Object env = lookup.findStatic(SparkEnv.class, "get", MethodType.methodType(SparkEnv.class)).invokeWithArguments(new Object[0]);
            return lookup.findVirtual(SparkEnv.class, name, MethodType.methodType(type)).invokeWithArguments(new Object[] {env});
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    public RpcEnv rpcEnv() {
        return env;
    }

    public PartialFunction receiveAndReply(RpcCallContext context) {
        return new Answering(this, context);
    }

    static final class Answering extends AbstractPartialFunction {
        private final FileDesk desk;
        private final RpcCallContext context;

        Answering(FileDesk desk, RpcCallContext context) {
            this.desk = desk;
            this.context = context;
        }

        public boolean isDefinedAt(Object request) {
            return true;
        }

        public Object applyOrElse(Object request, Function1 otherwise) {
            context.reply(desk.answer((Object[]) request));
            return BoxedUnit.UNIT;
        }
    }

    private Object answer(Object[] request) {
        try {
            return done((String) request[0], allowed((String) request[1]), request);
        } catch (NoSuchFileException error) {
            return new FileNotFoundException(error.getMessage());
        } catch (java.nio.file.FileAlreadyExistsException error) {
            return new FileAlreadyExistsException(error.getMessage());
        } catch (IOException error) {
            return error;
        } catch (RuntimeException error) {
            return new IOException(error.toString());
        }
    }

    private Path allowed(String name) throws IOException {
        Path path = Paths.get(name).normalize();
        for (int i = 0; i < folders.length; i++) {
            if (path.startsWith(folders[i])) {
                return path;
            }
        }
        throw new IOException(name + " is in no folder that executors may see");
    }

    private Object done(String what, Path path, Object[] request) throws IOException {
        if (what.equals("status")) {
            return status(path);
        } else if (what.equals("list")) {
            return listed(path);
        } else if (what.equals("read")) {
            return read(path, ((Long) request[2]).longValue(), ((Integer) request[3]).intValue());
        } else if (what.equals("create")) {
            return created(path, ((Boolean) request[2]).booleanValue());
        } else if (what.equals("append")) {
            Files.write(path, (byte[]) request[2], StandardOpenOption.APPEND);
            return Boolean.TRUE;
        } else if (what.equals("rename")) {
            Files.move(path, allowed((String) request[2]), StandardCopyOption.ATOMIC_MOVE);
            return Boolean.TRUE;
        } else if (what.equals("delete")) {
            return Boolean.valueOf(deleted(path.toFile(), ((Boolean) request[2]).booleanValue()));
        } else if (what.equals("mkdirs")) {
            Files.createDirectories(path);
            return Boolean.TRUE;
        }
        throw new IOException("nobody knows how to " + what);
    }

    /** Whether it is a folder, its length, when it was changed. */
    private static long[] status(Path path) throws IOException {
        boolean folder = Files.isDirectory(path);
        return new long[] {folder ? 1 : 0, folder ? 0 : Files.size(path), Files.getLastModifiedTime(path).toMillis()};
    }

    /** Names and their status, in turns; what goes meanwhile is left out. */
    private static Object[] listed(Path path) throws IOException {
        File[] found = path.toFile().listFiles();
        if (found == null) {
            throw new NoSuchFileException(path.toString());
        }
        java.util.ArrayList told = new java.util.ArrayList();
        for (int i = 0; i < found.length; i++) {
            try {
                long[] known = status(found[i].toPath());
                told.add(found[i].getName());
                told.add(known);
            } catch (NoSuchFileException gone) {
                continue;
            }
        }
        return told.toArray();
    }

    private static byte[] read(Path path, long from, int most) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new NoSuchFileException(path.toString());
        }
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
        try {
            byte[] part = new byte[(int) Math.max(0, Math.min(most, file.length() - from))];
            file.seek(from);
            file.readFully(part);
            return part;
        } finally {
            file.close();
        }
    }

    private static Boolean created(Path path, boolean overwrite) throws IOException {
        Files.createDirectories(path.getParent());
        if (overwrite) {
            Files.write(path, new byte[0]);
        } else {
            Files.createFile(path);
        }
        return Boolean.TRUE;
    }

    private static boolean deleted(File file, boolean all) throws IOException {
        File[] inside = file.listFiles();
        if (inside != null && inside.length > 0 && !all) {
            throw new DirectoryNotEmptyException(file.toString());
        }
        for (int i = 0; inside != null && i < inside.length; i++) {
            deleted(inside[i], true);
        }
        return file.delete();
    }
}
